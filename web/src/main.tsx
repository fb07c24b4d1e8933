// The page of `warploom web`.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { chooseTheme, themeChoice, watchTheme, type ThemeChoice } from "./charts/theme";
import { textAt } from "./core/json";
import { gpuName, useKnown, type Known } from "./core/known";
import { linkTo, tokenIn } from "./core/link";
import { usePlace, VIEWS, type ViewName } from "./core/place";
import { keepToken } from "./core/server";
import { Problem } from "./parts/notices";
import { Accuracy } from "./views/accuracy";
import { Curve } from "./views/curve";
import { Kernel } from "./views/kernel";
import { Plan } from "./views/plan";
import { Serve } from "./views/serve";
import { Step } from "./views/step";
import { Tune } from "./views/tune";
import type { ViewProps } from "./views/view_props";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/figures.css";

const COMPONENTS: Record<ViewName, (props: ViewProps) => preact.JSX.Element> = {
  kernel: Kernel,
  step: Step,
  serve: Serve,
  curve: Curve,
  plan: Plan,
  accuracy: Accuracy,
  tune: Tune,
};
const TITLES: Record<ViewName, string> = {
  kernel: "Kernel",
  step: "Step",
  serve: "Serve",
  curve: "Curve",
  plan: "Plan",
  accuracy: "Accuracy",
  tune: "Tune",
};

function Page() {
  const { known, problem } = useKnown();
  const { place, go, change } = usePlace();
  const view = place.view as ViewName;
  const Shown = COMPONENTS[view];
  useEffect(() => {
    document.title = `${TITLES[view]} · Warploom`;
  }, [view]);
  return (
    <>
      <a
        class="skip"
        href="#results"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("main")?.focus();
        }}
      >
        Skip to the results
      </a>
      <header class="head">
        <span class="brand">Warploom</span>
        <nav aria-label="views">
          {VIEWS.map((name) => (
            <a
              key={name}
              href={linkTo({ view: name, state: {} })}
              aria-current={name === view ? "page" : undefined}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey) return;
                event.preventDefault();
                go(name);
              }}
            >
              {TITLES[name]}
            </a>
          ))}
        </nav>
        <ThemeSwitch />
        <span class="quiet version">{known?.version ?? ""}</span>
      </header>
      <main tabIndex={-1}>
        <Problem error={problem} />
        {known === null ? (
          problem === null ? (
            <p class="note" role="status">
              Loading…
            </p>
          ) : null
        ) : (
          <>
            <Names known={known} />
            <Shown key={view} known={known} state={place.state} change={change} />
          </>
        )}
      </main>
    </>
  );
}

function Names({ known }: { known: Known }) {
  return (
    <>
      <datalist id="names-of-gpus">
        {known.gpus.map((gpu) => (
          <option key={gpuName(gpu)} value={gpuName(gpu)}>
            {textAt(gpu, "title")}
          </option>
        ))}
      </datalist>
      <datalist id="names-of-models">
        {known.models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}

function ThemeSwitch() {
  const [choice, setChoice] = useState(themeChoice());
  return (
    <select
      class="theme"
      aria-label="theme"
      value={choice}
      onChange={(event) => {
        const next = event.currentTarget.value as ThemeChoice;
        chooseTheme(next);
        setChoice(next);
      }}
    >
      <option value="system">system</option>
      <option value="light">light</option>
      <option value="dark">dark</option>
    </select>
  );
}

const token = tokenIn(location.hash);
keepToken(token);
if (token !== null) history.replaceState(null, "", location.pathname + location.search);
watchTheme();
render(<Page />, document.getElementById("page") as HTMLElement);

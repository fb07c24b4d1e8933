// The frame of a view: inputs beside results, one above the other on narrow screens.
import { useEffect, useRef, useState } from "preact/hooks";

const NARROW = "(max-width: 820px)";

const narrow = () => globalThis.matchMedia?.(NARROW).matches === true;

// `live` views answer at once, so on narrow screens the answer comes before the inputs are opened. Where a
// run is started by hand, its start (`running`) folds the inputs there: else progress, result and error would
// stand below all of them.
export function View({
  title,
  about,
  inputs,
  children,
  live,
  running,
}: {
  title: string;
  about: string;
  live?: boolean;
  running?: boolean;
  inputs: preact.ComponentChildren;
  children: preact.ComponentChildren;
}) {
  const [open, setOpen] = useState(live !== true || !narrow());
  const results = useRef<HTMLElement>(null);
  useEffect(() => {
    if (running !== true || !narrow()) return;
    setOpen(false);
    results.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [running]);
  return (
    <div class="view">
      <aside class="inputs" aria-label="inputs">
        <div class="inputs-head">
          <h1>{title}</h1>
          <button type="button" class="small only-narrow" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide inputs" : "Show inputs"}
          </button>
        </div>
        <p class="quiet about">{about}</p>
        <div hidden={!open}>{inputs}</div>
      </aside>
      <section class="results" aria-label="results" tabIndex={-1} ref={results}>
        {children}
      </section>
    </div>
  );
}

export function Section({
  title,
  children,
  tools,
}: {
  title: string;
  children: preact.ComponentChildren;
  tools?: preact.ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}

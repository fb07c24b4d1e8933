// The frame of a view: inputs beside results, one above the other on narrow screens.
import { useState } from "preact/hooks";

const NARROW = "(max-width: 820px)";

// `live` views answer at once, so on narrow screens the answer comes before the inputs are opened.
export function View({
  title,
  about,
  inputs,
  children,
  live,
}: {
  title: string;
  about: string;
  live?: boolean;
  inputs: preact.ComponentChildren;
  children: preact.ComponentChildren;
}) {
  const [open, setOpen] = useState(live !== true || globalThis.matchMedia?.(NARROW).matches !== true);
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
      <section class="results" aria-label="results">
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

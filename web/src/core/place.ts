// The page's place: which view, in which state. Written into the address at most five times a second, since
// browsers refuse more.
import { useEffect, useState } from "preact/hooks";
import type { JsonObject } from "./json";
import { linkTo, readLink, type Place } from "./link";

export const VIEWS = ["kernel", "step", "serve", "curve", "plan", "accuracy", "tune"] as const;
export type ViewName = (typeof VIEWS)[number];
const FIRST: ViewName = "serve"; // what most come for: how does this model serve

const PAUSE = 200; // ms
let timer: ReturnType<typeof setTimeout> | undefined;

function write(place: Place): void {
  clearTimeout(timer);
  timer = setTimeout(() => history.replaceState(null, "", linkTo(place)), PAUSE);
}

export function usePlace(): { place: Place; go(view: string): void; change(state: JsonObject): void } {
  const [place, setPlace] = useState(() => readLink(location.hash, VIEWS, FIRST));
  useEffect(() => {
    const moved = () => setPlace(readLink(location.hash, VIEWS, FIRST));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return {
    place,
    go(view) {
      clearTimeout(timer);
      history.pushState(null, "", linkTo({ view, state: {} }));
      setPlace({ view, state: {} });
    },
    change(state) {
      setPlace((now) => {
        const next = { view: now.view, state };
        write(next);
        return next;
      });
    },
  };
}

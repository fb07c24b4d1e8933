// Light or dark: what the reader chose, else what the system says; on paper always light.
import { useEffect, useState } from "preact/hooks";
import type { Theme } from "./palette";

export type ThemeChoice = Theme | "system";
const KEY = "warploom-theme";
const listeners = new Set<() => void>();
let printing = false;

export function themeChoice(): ThemeChoice {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // a file opened from disk may have no storage
  }
}

export function theme(): Theme {
  const choice = themeChoice();
  if (printing) return "light";
  if (choice !== "system") return choice;
  return globalThis.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function chooseTheme(choice: ThemeChoice): void {
  try {
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // not kept; it holds until the page is left
  }
  announce();
}

function announce(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const listener of [...listeners]) listener();
}

export function watchTheme(): void {
  announce();
  globalThis.matchMedia?.("(prefers-color-scheme: dark)").addEventListener("change", announce);
  const paper = globalThis.matchMedia?.("print");
  paper?.addEventListener("change", (event) => {
    printing = event.matches;
    announce();
  });
}

export function useTheme(): Theme {
  const [now, set] = useState(theme());
  useEffect(() => {
    const listener = () => set(theme());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return now;
}

import type { JsonObject } from "../core/json";
import type { Known } from "../core/known";

// What every view gets: what the server knows, its state, and how to change it.
export interface ViewProps {
  known: Known;
  state: JsonObject;
  change(state: JsonObject): void;
}

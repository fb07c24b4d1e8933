// A few names from a list, each with a button to take it away.
import { useId, useState } from "preact/hooks";

export function NamesField({
  label,
  about,
  names,
  list,
  set,
  most,
}: {
  label: string;
  about: string;
  names: string[];
  list: string;
  set(names: string[]): void;
  most: number;
}) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const add = (given: string) => {
    const name = given.trim();
    setTyped("");
    if (name !== "" && !names.includes(name)) set([...names, name].slice(-most));
  };
  return (
    <div class="field" data-field="gpus">
      <label for={id}>{label}</label>
      <ul class="names">
        {names.map((name) => (
          <li key={name}>
            {name}
            <button
              type="button"
              aria-label={`remove ${name}`}
              disabled={names.length === 1}
              onClick={() => set(names.filter((one) => one !== name))}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <input
        id={id}
        type="text"
        list={list}
        value={typed}
        placeholder="add a GPU"
        autocomplete="off"
        aria-describedby={`${id}-hint`}
        onInput={(event) => {
          const { value } = event.currentTarget;
          const chosen = event instanceof InputEvent && event.inputType === "insertText";
          setTyped(value);
          // picked from the list: the event is no typing
          if (!chosen && inList(list, value)) add(value);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          add(typed);
        }}
        onBlur={() => add(typed)}
      />
      <p id={`${id}-hint`} class="hint">
        {about}
      </p>
    </div>
  );
}

function inList(id: string, value: string): boolean {
  const list = document.getElementById(id);
  return list !== null && [...list.querySelectorAll("option")].some((option) => option.value === value);
}

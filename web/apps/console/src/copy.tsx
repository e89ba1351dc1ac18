// A button that puts a text into the clipboard, and says so.

import { notice } from "./store";

export function Copy({ name, text }: { readonly name: string; readonly text: () => string }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text());
    notice.value = "Copied.";
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      {name}
    </button>
  );
}

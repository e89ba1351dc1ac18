// A button that copies a text to the clipboard and shows a notice.

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

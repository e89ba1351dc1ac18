// Turns a handler's return value into content for an agent. Only a data URL counts as an image; nothing else is
// guessed.

export type Content = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ToolResult {
  readonly content: readonly Content[];
  readonly isError: boolean;
  readonly [more: string]: unknown;
}

const KINDS = new Set(["text", "image", "audio", "resource", "resource_link"]);
const IMAGE = /^data:(image\/[\w.+-]+)(?:;[\w=.+-]+)*;base64,/;

export function toResult(value: unknown): ToolResult {
  if (isResult(value)) return { isError: false, ...value };
  if (Array.isArray(value) && value.length > 0 && value.every(isContent)) return { content: value, isError: false };
  return { content: [toContent(value)], isError: false };
}

function toContent(value: unknown): Content {
  if (typeof value === "string") {
    const image = IMAGE.exec(value);
    return image === null ? text(value) : { type: "image", data: value.slice(image[0].length), mimeType: image[1] };
  }
  return text(typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value));
}

function text(text: string): Content {
  return { type: "text", text };
}

function isResult(value: unknown): value is { readonly content: readonly Content[] } {
  return (
    typeof value === "object" &&
    value !== null &&
    "content" in value &&
    Array.isArray(value.content) &&
    value.content.every(isContent)
  );
}

function isContent(value: unknown): value is Content {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    typeof value.type === "string" &&
    KINDS.has(value.type)
  );
}

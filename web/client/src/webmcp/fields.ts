// The fields of a form as the params of a tool: their JSON Schema, written as Chromium writes it, and filling them in.

/** The common members of all kinds of fields. */
export type Field = HTMLInputElement & { readonly options?: HTMLOptionsCollection };

/** One choice: an option of a list, a radio button, or one of several checkboxes with the same name. */
type Choice = Field & Pick<HTMLOptionElement, "text" | "selected">;

/** Fields that only a person fills in, such as passwords, and buttons. */
const SKIPPED = /^(?:hidden|file|password|submit|reset|button|image)$/;
const FORMATS = /^(?:date|time|datetime-local|month|week|color)$/;
const CHECKED = /^(?:radio|checkbox)$/;

/** Fields grouped by name. A name that is used for different kinds of fields is left out. */
function groupsOf(form: HTMLFormElement): Map<string, Field[]> {
  const groups = new Map<string, Field[]>();
  for (const field of form.elements as Iterable<Element> as Iterable<Field>) {
    const { name, type, readOnly } = field;
    if (name && field.matches(":is(input,select,textarea):enabled") && !SKIPPED.test(type) && !readOnly)
      groups.set(name, [...(groups.get(name) ?? []), field]);
  }
  for (const [name, [first, ...others]] of groups)
    if (others.some(({ type }) => type !== first?.type || !CHECKED.test(type))) groups.delete(name);
  return groups;
}

export function schemaOf(form: HTMLFormElement): object {
  const groups = [...groupsOf(form)];
  return {
    type: "object",
    properties: Object.fromEntries(groups.map(([name, group]) => [name, property(group)])),
    required: groups.filter(([, group]) => group.some((field) => field.required)).map(([name]) => name),
  };
}

function property(group: readonly Field[]): object {
  const [field] = group as [Field];
  const { type, pattern } = field;
  const choices = choicesOf(group);
  const description =
    field.getAttribute("toolparamdescription") ||
    (!CHECKED.test(type) || choices === undefined ? label(field) : "") ||
    field.getAttribute("aria-description");
  const about = description ? { description } : {};
  if (choices !== undefined) {
    const anyOf = choices.map((one) => ({
      type: "string",
      const: one.value,
      title: one.text ?? (label(one) || undefined),
    }));
    const one = { type: "string", anyOf, enum: choices.map(({ value }) => value) };
    return /^(?:select-one|radio)/.test(type)
      ? { ...one, ...about }
      : { type: "array", items: one, uniqueItems: true, ...about };
  }
  if (type === "checkbox") return { type: "boolean", ...about };
  if (/^(?:number|range)/.test(type)) return { type: "number", ...range(field), ...about };
  return { type: "string", format: FORMATS.test(type) ? type : undefined, pattern: pattern || undefined, ...about };
}

function choicesOf(group: readonly Field[]): readonly Choice[] | undefined {
  const [{ type, options }] = group as [Field];
  return (options ? [...options] : type === "radio" || group.length > 1 ? group : undefined) as
    | readonly Choice[]
    | undefined;
}

function label({ labels }: Field): string {
  return (labels?.[0]?.textContent ?? "").replace(/\s+/g, " ").trim();
}

function range({ type, min, max, step }: Field): object {
  const number = (text: string, ordinary: number): number | undefined =>
    text === "" ? (type === "range" ? ordinary : undefined) : Number(text);
  const minimum = number(min, 0);
  const multipleOf = Number(step || 1);
  // Steps count from the minimum, so `multipleOf` is only equivalent if the minimum is a multiple of the step.
  return { minimum, maximum: number(max, 100), multipleOf: (minimum ?? 0) % multipleOf === 0 ? multipleOf : undefined };
}

/**
 * A reviver for `JSON.parse`: removes from a form's schema the patterns that the hub cannot check in linear time. The
 * browser validates the form itself.
 */
export function checkable(key: string, value: unknown): unknown {
  return key === "pattern" && /\(\?[=!<]|\\\d/.test(String(value)) ? undefined : value;
}

/** Throws for an unknown param before anything is filled in, and for a value that does not fit. */
export function fill(form: HTMLFormElement, input: object): void {
  const groups = groupsOf(form);
  for (const name of Object.keys(input))
    if (!groups.has(name))
      throw new Error(`Input contains a parameter "${name}" but there is no such parameter for the tool`);
  for (const [name, value] of Object.entries(input))
    if (!put(groups.get(name) ?? [], value))
      throw new Error(`Invalid value ${JSON.stringify(value)} for parameter ${name}`);
}

/** Returns whether the value was accepted. */
function put(group: readonly Field[], value: unknown): boolean {
  const [field] = group as [Field];
  const choices = choicesOf(group);
  const wanted = [value].flat().map(String);
  if (choices !== undefined && wanted.some((one) => !choices.some((choice) => choice.value === one))) return false;
  for (const one of choices ?? group) {
    const on = choices === undefined ? value === true : wanted.includes(one.value);
    if (field.options) (one as Choice).selected = on;
    else if (!CHECKED.test(field.type)) {
      // The prototype's setter, because React defines its own setter on the element, which would hide the change from
      // React.
      Reflect.set(Object.getPrototypeOf(field) as object, "value", `${value}`, field);
      if (field.value === "" && value !== "") return false;
    } else if (one.checked !== on) one.click();
  }
  // A click dispatches its own events.
  if (!CHECKED.test(field.type))
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
  return true;
}

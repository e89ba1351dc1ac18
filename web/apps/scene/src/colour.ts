// Parses colours: `#rrggbb`, or the name of one of Apple's crayons.

const CRAYONS: Readonly<Record<string, string>> = {
  licorice: "#000000",
  lead: "#1e1e1e",
  tungsten: "#3a3a3a",
  iron: "#545453",
  steel: "#6e6e6e",
  tin: "#878687",
  nickel: "#888787",
  aluminum: "#a09fa0",
  magnesium: "#b8b8b8",
  silver: "#d0d0d0",
  mercury: "#e8e8e8",
  snow: "#ffffff",
  cayenne: "#891100",
  mocha: "#894800",
  asparagus: "#888501",
  fern: "#458401",
  clover: "#028401",
  moss: "#018448",
  teal: "#008688",
  ocean: "#004a88",
  midnight: "#001888",
  eggplant: "#491a88",
  plum: "#891e88",
  maroon: "#891648",
  maraschino: "#ff2101",
  tangerine: "#ff8802",
  lemon: "#fffa03",
  lime: "#83f902",
  spring: "#05f802",
  "sea foam": "#03f987",
  turquoise: "#00fdff",
  aqua: "#008cff",
  blueberry: "#002eff",
  grape: "#8931ff",
  magenta: "#ff39ff",
  strawberry: "#ff2987",
  salmon: "#ff726e",
  cantaloupe: "#ffce6e",
  banana: "#fffb6d",
  honeydew: "#cefa6e",
  flora: "#68f96e",
  spindrift: "#68fbd0",
  ice: "#68fdff",
  sky: "#6acfff",
  orchid: "#6e76ff",
  lavender: "#d278ff",
  bubblegum: "#ff7aff",
  carnation: "#ff7fd3",
};
const HEX = /^#[0-9a-f]{6}$/;

export const CRAYON_NAMES: readonly string[] = Object.keys(CRAYONS);

/** The original's text, unchanged. */
export const COLOUR_REFUSAL = `Must be a hex color code (e.g., "#ff0000") or an Apple crayon color name. Available colors: ${CRAYON_NAMES.join(", ")}`;

export interface Colour {
  /** `#rrggbb` in lower case. */
  readonly hex: string;
  /** As in a confirmation: `#cc0000`, or `plum (#891e88)`. */
  readonly text: string;
}

/** `undefined`: not a colour. */
export function readColour(value: unknown): Colour | undefined {
  if (typeof value !== "string") return undefined;
  const said = value.trim().toLowerCase();
  if (HEX.test(said)) return { hex: said, text: said };
  const name = said === "seafoam" || said === "sea-foam" ? "sea foam" : said;
  const hex = Object.hasOwn(CRAYONS, name) ? CRAYONS[name] : undefined;
  return hex === undefined ? undefined : { hex, text: `${name} (${hex})` };
}

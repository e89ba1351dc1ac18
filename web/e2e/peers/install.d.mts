// Where the programs of others are.

export function peers(): Promise<{
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
  readonly python: string;
}>;

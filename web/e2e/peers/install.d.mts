// The paths of third-party programs.

export function peers(): Promise<{
  readonly node: string;
  readonly conformance: string;
  readonly inspector: string;
  readonly python: string;
}>;

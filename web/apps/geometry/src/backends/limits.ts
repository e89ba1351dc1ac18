// Timeouts for requests to backends.

export const CONNECT_MS_MAX = 5_000;
export const HTTP_MS_MAX = 30_000;
export const EVOLUTION_MS_MAX = 60_000;
export const SPAWN_MS_MAX = 10_000;

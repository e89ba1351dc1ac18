// What carries frames, whatever it is made of: text out, text in, and one end.

export interface Carrier {
  /** Rejects what could not be handed over. */
  send(text: string): Promise<void>;
  /** Ends it from our side; `closed` is not called for that. */
  close(code?: number, reason?: string): void;
}

export interface CarrierEvents {
  message(text: string): void;
  /** At most once, after the carrier was open, and never for our own `close`. */
  closed(code: number, reason: string): void;
}

/** Opens one, or rejects; `signal` gives up on it. */
export type OpenCarrier = (events: CarrierEvents, signal: AbortSignal) => Promise<Carrier>;

// The interface of a transport for frames: text out, text in, and one end.

export interface Carrier {
  /** Rejects if the text could not be sent. */
  send(text: string): Promise<void>;
  /** Ends the connection from this side; `closed` is then not called. */
  close(code?: number, reason?: string): void;
}

export interface CarrierEvents {
  message(text: string): void;
  /** Called at most once, only after the carrier was open, and never for our own `close`. */
  closed(code: number, reason: string): void;
}

/** Opens a carrier, or rejects; aborting `signal` cancels the attempt. */
export type OpenCarrier = (events: CarrierEvents, signal: AbortSignal) => Promise<Carrier>;

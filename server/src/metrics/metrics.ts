/** One finished request. */
export type FinishedRequest = {
  method: string;
  /** The URL of the route, such as `/v1/designs/:id`. Undefined: no route matched. */
  route: string | undefined;
  status: number;
  /** The code of the problem in the response. */
  problemCode: string | undefined;
  /** The client closed the connection before it had the response. */
  aborted: boolean;
  durationMs: number;
};

/** Counts what the service does. */
export interface Metrics {
  countRequest(request: FinishedRequest): void;
}

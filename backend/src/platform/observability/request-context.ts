import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestContext {
  /** Names one request, frame or job in the log and towards whoever asked. */
  correlationId: string;
}

/** What the code that runs now is working for. */
export const requestContext = new AsyncLocalStorage<RequestContext>();

export const currentCorrelationId = (): string | undefined => requestContext.getStore()?.correlationId;

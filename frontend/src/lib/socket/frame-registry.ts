import { type ServerEvent, type ServerFrame } from '@thaw/contract/server-frames';

type Handler = (frame: ServerFrame) => void;

/** Dispatches frames to the handlers registered for their event. */
export class FrameRegistry {
  private readonly handlers = new Map<ServerEvent, Handler[]>();

  on(events: readonly ServerEvent[], handler: Handler): void {
    for (const event of events) this.handlers.set(event, [...(this.handlers.get(event) ?? []), handler]);
  }

  handle(frame: ServerFrame): void {
    for (const handler of this.handlers.get(frame.event) ?? []) handler(frame);
  }
}

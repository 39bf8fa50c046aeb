import { limits } from '@thaw/contract/limits';
import { type Clock } from '@/lib/clock';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface ConnectionMonitorOptions {
  clock: Clock;
  /** Sends a ping; rejects with the failure `timeout` if no pong has arrived after `timeoutMs`. */
  ping: (timeoutMs: number) => Promise<unknown>;
  /** Whether a request other than a ping waits for its response. */
  hasPendingCommand: () => boolean;
  /** Called when neither the pong nor any other frame has arrived in time. */
  onDead: () => void;
}

const pongTimeoutMs = 10_000;
/** While a command is unanswered, a silence of this length starts a probe. The probe times out after the same time. */
const silenceBeforeProbeMs = 3_000;

/** Pings one open connection until `stop`, and reports when it is dead. */
export class ConnectionMonitor {
  private isStopped = false;
  /** Frames received, including invalid ones: each shows that the connection works. */
  private receivedCount = 0;
  private pingTimer: number | undefined;
  private silenceTimer: number | undefined;

  constructor(private readonly options: ConnectionMonitorOptions) {
    this.schedulePing();
  }

  stop(): void {
    const { clock } = this.options;
    this.isStopped = true;
    clock.clearTimeout(this.pingTimer);
    clock.clearTimeout(this.silenceTimer);
  }

  /** Checks the connection now: it is dead if no frame of any kind arrives within `silenceBeforeProbeMs`. */
  probe(): void {
    this.ping(silenceBeforeProbeMs);
  }

  /** Call for each received frame, before it is handled. */
  countFrame(): void {
    this.receivedCount += 1;
  }

  /**
   * Call after each received frame, and after each sent frame except a ping. While a command is unanswered, a silence
   * leads to a probe: otherwise a half-open connection would seem open until the next ping, for up to a minute.
   */
  restartSilenceTimer(): void {
    const { clock, hasPendingCommand } = this.options;
    clock.clearTimeout(this.silenceTimer);
    if (this.isStopped || !hasPendingCommand()) return;
    this.silenceTimer = clock.setTimeout(() => this.probe(), silenceBeforeProbeMs);
  }

  private schedulePing(): void {
    this.pingTimer = this.options.clock.setTimeout(() => {
      this.ping(pongTimeoutMs);
      this.schedulePing();
    }, limits.pingIntervalMs);
  }

  private ping(timeoutMs: number): void {
    const countBefore = this.receivedCount;
    this.options.ping(timeoutMs).catch((error: unknown) => {
      const isUnanswered = error instanceof SocketRequestError && error.failure === 'timeout';
      const isSilent = this.receivedCount === countBefore;
      if (isUnanswered && isSilent && !this.isStopped) this.options.onDead();
    });
  }
}

import { limits } from '@thaw/contract/limits';
import { type Clock } from '@/lib/clock';
import { SocketRequestError } from '@/lib/socket/socket-request-error';

export interface ConnectionMonitorOptions {
  clock: Clock;
  /** Sends a ping; rejects with the failure `timeout` if no pong has arrived after `timeoutMs`. */
  ping: (timeoutMs: number) => Promise<unknown>;
  /** Whether a command waits for its response. Every request except a ping is a command. */
  hasPendingCommand: () => boolean;
  /** Called when neither the pong nor any other frame has arrived in time. */
  onDead: () => void;
}

const pongTimeoutMs = 10_000;
/** A silence of this length starts a probe while a command is unanswered. */
const silenceBeforeProbeMs = 3_000;
/** A probe is a ping with this shorter timeout. */
const probeTimeoutMs = 3_000;

/** Pings one open connection until `stop`, and reports when it is dead. */
export class ConnectionMonitor {
  private isStopped = false;
  /** Number of received frames. Invalid ones count too, because each frame shows that the connection works. */
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

  /** Checks the connection now. It is dead if no frame of any kind arrives within `probeTimeoutMs`. */
  probe(): void {
    this.ping(probeTimeoutMs);
  }

  /** Call before each received frame is handled. */
  countFrame(): void {
    this.receivedCount += 1;
  }

  /**
   * Call after each received frame is handled, and after a command is sent. Probes the connection if it then stays
   * silent while a command is unanswered. Without the probe, a broken connection could seem open for a minute, until
   * the next ping.
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

import { type Page, type WebSocketRoute } from '@playwright/test';

/** Close code after which the page reconnects. */
const serviceRestart = 1012;
/** Close code that the server treats as a lost connection, like every code except 1000 and 1001. */
const lostConnection = 3000;

/** The two ends of a socket that is routed through the test. */
interface RoutedSocket {
  pageEnd: WebSocketRoute;
  serverEnd: WebSocketRoute;
}

/**
 * Controls the WebSocket connection between a page and the server. The sockets are routed through the test, which can
 * close them and drop frames. (The browser's `setOffline` does not affect open sockets.)
 */
export class Connection {
  private isCut = false;
  private dropsResponses = false;
  private dropsPageFrames = false;
  private readonly openSockets = new Set<RoutedSocket>();
  /** Number of sockets that the page has tried to open. */
  attemptCount = 0;
  /** Number of pongs delivered to the page; each answers a ping. */
  pongCount = 0;

  /** Routes the sockets of a page through the test. Call it before the page opens. */
  static async intercept(page: Page): Promise<Connection> {
    const connection = new Connection();
    await page.routeWebSocket('**/ws', (socket) => connection.accept(socket));
    return connection;
  }

  /** Closes the open sockets, and refuses new ones until `restore`. */
  async cut(): Promise<void> {
    this.isCut = true;
    const sockets = [...this.openSockets];
    this.openSockets.clear();
    for (const { pageEnd, serverEnd } of sockets) {
      await serverEnd.close({ code: lostConnection });
      await pageEnd.close({ code: serviceRestart });
    }
  }

  restore(): void {
    this.isCut = false;
  }

  /** Drops acks and errors from the server until `deliverResponses`. Frames of the page still reach the server. */
  dropResponses(): void {
    this.dropsResponses = true;
  }

  deliverResponses(): void {
    this.dropsResponses = false;
  }

  /** Drops frames of the page until `deliverPageFrames`. Frames of the server still reach the page. */
  dropPageFrames(): void {
    this.dropsPageFrames = true;
  }

  deliverPageFrames(): void {
    this.dropsPageFrames = false;
  }

  private accept(pageEnd: WebSocketRoute): void {
    this.attemptCount += 1;
    if (this.isCut) {
      void pageEnd.close({ code: serviceRestart });
      return;
    }
    const serverEnd = pageEnd.connectToServer();
    pageEnd.onMessage((frame) => {
      if (!this.dropsPageFrames) serverEnd.send(frame);
    });
    serverEnd.onMessage((frame) => {
      const isResponse = isEvent(frame, 'ack') || isEvent(frame, 'error');
      if (!(this.dropsResponses && isResponse)) pageEnd.send(frame);
      if (isEvent(frame, 'pong')) this.pongCount += 1;
    });
    this.openSockets.add({ pageEnd, serverEnd });
  }
}

const isEvent = (frame: string | Buffer, event: string): boolean =>
  typeof frame === 'string' && frame.includes(`"event":"${event}"`);

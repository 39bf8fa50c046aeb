import { type Page, type WebSocketRoute } from '@playwright/test';

/** Close code after which the page reconnects. */
const serviceRestart = 1012;
/** Any code except 1000 and 1001 would do: the server treats the close as a lost connection. */
const uncleanClose = 3000;

/**
 * Controls the WebSocket connection between a page and the server. The sockets are routed through the test, which can
 * close them and drop frames. (The browser's `setOffline` does not affect open sockets.)
 */
export class Connection {
  private isCut = false;
  private dropsResponses = false;
  private dropsPageFrames = false;
  /** Both ends of each open connection: the page's and the server's. */
  private readonly openPairs = new Set<[WebSocketRoute, WebSocketRoute]>();
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
    const pairs = [...this.openPairs];
    this.openPairs.clear();
    for (const [pageEnd, serverEnd] of pairs) {
      await serverEnd.close({ code: uncleanClose });
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
      const isResponse = typeof frame === 'string' && /"event":"(ack|error)"/.test(frame);
      if (!(this.dropsResponses && isResponse)) pageEnd.send(frame);
      if (typeof frame === 'string' && frame.includes('"event":"pong"')) this.pongCount += 1;
    });
    this.openPairs.add([pageEnd, serverEnd]);
  }
}

import { type Page, type WebSocketRoute } from '@playwright/test';

const serviceRestart = 1012;
/** The server treats a close with any code other than `normal` and `goingAway` as a lost connection. */
const uncleanClose = 3000;

/**
 * The connection between a page and the server. The browser's `setOffline` does not affect open sockets, so the sockets
 * are routed through the test, which can close them and drop frames.
 */
export class Connection {
  private isCut = false;
  private dropsResponses = false;
  private dropsCommands = false;
  /** Open connections: the page's end and the server's. */
  private readonly openPairs = new Set<[WebSocketRoute, WebSocketRoute]>();
  /** Number of sockets that the page has tried to open. */
  attempts = 0;
  /** Number of pongs delivered to the page. */
  pongs = 0;

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
    for (const [socket, server] of pairs) {
      await server.close({ code: uncleanClose });
      await socket.close({ code: serviceRestart });
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

  /** Drops frames of the page until `deliverCommands`. Frames of the server still reach the page. */
  dropCommands(): void {
    this.dropsCommands = true;
  }

  deliverCommands(): void {
    this.dropsCommands = false;
  }

  private accept(socket: WebSocketRoute): void {
    this.attempts += 1;
    if (this.isCut) {
      void socket.close({ code: serviceRestart });
      return;
    }
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!this.dropsCommands) server.send(message);
    });
    server.onMessage((message) => {
      const isResponse = typeof message === 'string' && /"event":"(ack|error)"/.test(message);
      if (!(this.dropsResponses && isResponse)) socket.send(message);
      if (typeof message === 'string' && message.includes('"event":"pong"')) this.pongs += 1;
    });
    this.openPairs.add([socket, server]);
  }
}

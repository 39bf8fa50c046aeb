import { type Page, type WebSocketRoute } from '@playwright/test';

const goingAway = 1012;
/** Tells the server, too, that this was no clean good-bye. */
const torn = 3000;

/**
 * The network between a page and the server. `setOffline` of the browser leaves open sockets alone,
 * so the socket is routed through the test, which can tear it.
 */
export class Connection {
  private isCut = false;
  private isSilent = false;
  private isMute = false;
  private readonly open = new Set<[WebSocketRoute, WebSocketRoute]>();
  attempts = 0;
  /** Answers to the page's probes that it has been sent. */
  pongs = 0;

  static async of(page: Page): Promise<Connection> {
    const connection = new Connection();
    await page.routeWebSocket('**/ws', (socket) => connection.accept(socket));
    return connection;
  }

  async cut(): Promise<void> {
    this.isCut = true;
    const pairs = [...this.open];
    this.open.clear();
    for (const [socket, server] of pairs) {
      await server.close({ code: torn });
      await socket.close({ code: goingAway });
    }
  }

  restore(): void {
    this.isCut = false;
  }

  /** From now on the server hears the page, and the page hears of no answer. */
  holdBackAnswers(): void {
    this.isSilent = true;
  }

  letAnswersThrough(): void {
    this.isSilent = false;
  }

  /** From now on nothing that the page sends reaches the server; nothing else is lost. */
  holdBackCommands(): void {
    this.isMute = true;
  }

  letCommandsThrough(): void {
    this.isMute = false;
  }

  private accept(socket: WebSocketRoute): void {
    this.attempts += 1;
    if (this.isCut) {
      void socket.close({ code: goingAway });
      return;
    }
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!this.isMute) server.send(message);
    });
    server.onMessage((message) => {
      const isAnswer = typeof message === 'string' && /"event":"(ack|error)"/.test(message);
      if (!(this.isSilent && isAnswer)) socket.send(message);
      if (typeof message === 'string' && message.includes('"event":"pong"')) this.pongs += 1;
    });
    this.open.add([socket, server]);
  }
}

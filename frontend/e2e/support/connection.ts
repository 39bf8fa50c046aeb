import { type Page, type WebSocketRoute } from '@playwright/test';

const goingAway = 1012;
/** Close code that makes the server treat the close as unclean. */
const torn = 3000;

/**
 * The network between a page and the server. The browser's `setOffline` does not affect open sockets, so the socket is
 * routed through the test, which can cut it.
 */
export class Connection {
  private isCut = false;
  private isSilent = false;
  private isMute = false;
  private readonly open = new Set<[WebSocketRoute, WebSocketRoute]>();
  attempts = 0;
  /** Number of pongs delivered to the page. */
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

  /** From now on frames reach the server, but no responses reach the page. */
  holdBackAnswers(): void {
    this.isSilent = true;
  }

  letAnswersThrough(): void {
    this.isSilent = false;
  }

  /** From now on no frame of the page reaches the server; frames of the server still arrive. */
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

/** Property that holds the id of an element in WebDriver's JSON. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

interface Failure {
  error: string;
  message: string;
}

export class WebDriverError extends Error {
  override readonly name = 'WebDriverError';
  /** Error code of the protocol, such as "no such element". */
  readonly code: string;

  constructor({ error, message }: Failure) {
    super(`${error}: ${message}`);
    this.code = error;
  }
}

/** The commands of the W3C WebDriver protocol that the journey needs. */
export class WebDriverSession {
  private constructor(private readonly address: string) {}

  static async start(driver: string, capabilities: object): Promise<WebDriverSession> {
    const { sessionId } = (await command('POST', `${driver}/session`, {
      capabilities: { alwaysMatch: capabilities },
    })) as { sessionId: string };
    return new WebDriverSession(`${driver}/session/${sessionId}`);
  }

  open(url: string): Promise<unknown> {
    return this.post('url', { url });
  }

  async find(xpath: string): Promise<string> {
    const found = await this.post('element', { using: 'xpath', value: xpath });
    return (found as Record<typeof elementKey, string>)[elementKey];
  }

  async isDisplayed(element: string): Promise<boolean> {
    return (await command('GET', `${this.address}/element/${element}/displayed`)) as boolean;
  }

  click(element: string): Promise<unknown> {
    return this.post(`element/${element}/click`, {});
  }

  type(element: string, text: string): Promise<unknown> {
    return this.post(`element/${element}/value`, { text });
  }

  end(): Promise<unknown> {
    return command('DELETE', this.address);
  }

  private post(what: string, body: object): Promise<unknown> {
    return command('POST', `${this.address}/${what}`, body);
  }
}

const command = async (method: string, address: string, body?: object): Promise<unknown> => {
  const answer = await fetch(address, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await answer.json()) as { value: unknown };
  if (!answer.ok) throw new WebDriverError(value as Failure);
  return value;
};

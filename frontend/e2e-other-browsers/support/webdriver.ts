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

/** The commands of the W3C WebDriver protocol that journey.spec.ts needs. */
export class WebDriverSession {
  private constructor(private readonly address: string) {}

  static async start(driverUrl: string, capabilities: object): Promise<WebDriverSession> {
    const { sessionId } = (await sendCommand('POST', `${driverUrl}/session`, {
      capabilities: { alwaysMatch: capabilities },
    })) as { sessionId: string };
    return new WebDriverSession(`${driverUrl}/session/${sessionId}`);
  }

  open(url: string): Promise<unknown> {
    return this.post('url', { url });
  }

  /** @returns the id of the first element that matches. */
  async find(xpath: string): Promise<string> {
    const found = await this.post('element', { using: 'xpath', value: xpath });
    return (found as Record<typeof elementKey, string>)[elementKey];
  }

  async isDisplayed(elementId: string): Promise<boolean> {
    return (await sendCommand('GET', `${this.address}/element/${elementId}/displayed`)) as boolean;
  }

  click(elementId: string): Promise<unknown> {
    return this.post(`element/${elementId}/click`, {});
  }

  type(elementId: string, text: string): Promise<unknown> {
    return this.post(`element/${elementId}/value`, { text });
  }

  end(): Promise<unknown> {
    return sendCommand('DELETE', this.address);
  }

  private post(path: string, body: object): Promise<unknown> {
    return sendCommand('POST', `${this.address}/${path}`, body);
  }
}

const sendCommand = async (method: string, address: string, body?: object): Promise<unknown> => {
  const response = await fetch(address, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new WebDriverError(value as Failure);
  return value;
};

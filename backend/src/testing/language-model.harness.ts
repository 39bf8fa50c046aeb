import {
  failingBehaviours as failingServerBehaviours,
  answerWithJson,
  type ServerBehaviour,
  startTestOptionalServer,
  type TestOptionalServer,
} from './optional-server.harness';

/** A server in place of a language model with an OpenAI-compatible API. `url` is `http://127.0.0.1:<port>/v1`. */
export type TestLanguageModel = TestOptionalServer;

/** Answers with a completion whose text has these lines. */
export const answerWithLines = (...lines: string[]): ServerBehaviour =>
  answerWithJson({
    id: 'chatcmpl-1',
    choices: [{ index: 0, message: { role: 'assistant', content: lines.join('\n') } }],
  });

/** Every way in which a language model can fail, with the reason that the client reports. */
export const failingBehaviours: typeof failingServerBehaviours = {
  ...failingServerBehaviours,
  'answers JSON of another shape': {
    behaviour: answerWithJson({ choices: [{ message: { content: 7 } }] }),
    reason: 'the answer is not a completion',
  },
  'answers without a choice': {
    behaviour: answerWithJson({ choices: [] }),
    reason: 'the answer is not a completion',
  },
};

export const startTestLanguageModel = async (): Promise<TestLanguageModel> => {
  const server = await startTestOptionalServer();
  // Changes the server itself, because a copy of it would lose the getter `pendingAnswerCount`.
  return Object.assign(server, { url: `${server.url}/v1` });
};

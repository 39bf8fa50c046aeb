import {
  failingBehaviours as failingServerBehaviours,
  sayJson,
  type ServerBehaviour,
  startTestOptionalServer,
  type TestOptionalServer,
} from './optional-server.harness';

/** An OpenAI-compatible API over HTTP. Its `url` is the base address, `http://127.0.0.1:<port>/v1`. */
export type TestLanguageModel = TestOptionalServer;

/** Answers with a completion. */
export const sayLines = (...lines: string[]): ServerBehaviour =>
  sayJson({
    id: 'chatcmpl-1',
    choices: [{ index: 0, message: { role: 'assistant', content: lines.join('\n') } }],
  });

/** Every way of failing, with the reason that the client gives. */
export const failingBehaviours: typeof failingServerBehaviours = {
  ...failingServerBehaviours,
  'answers JSON of another shape': {
    behaviour: sayJson({ choices: [{ message: { content: 7 } }] }),
    reason: 'the answer is not a completion',
  },
  'answers without a choice': {
    behaviour: sayJson({ choices: [] }),
    reason: 'the answer is not a completion',
  },
};

export const startTestLanguageModel = async (): Promise<TestLanguageModel> => {
  const server = await startTestOptionalServer();
  // Assigned, because a copy would lose the getter.
  return Object.assign(server, { url: `${server.url}/v1` });
};

import { createPrompt, type ChatMessage } from './suggestion-prompt.functions';

const ASKER_ID = 7;
const OTHER_ID = 9;
const createChatMessage = (
  senderId: number,
  content?: string,
  messageType: ChatMessage['messageType'] = 'text',
) => ({
  senderId,
  messageType,
  content,
});
/** A prompt has two messages: the instructions, and this one, which is about the chat. */
const createUserPrompt = (messages: ChatMessage[], usernames = ['quiet-otter-42', 'brave-heron-7']): string =>
  createPrompt(ASKER_ID, { messages, usernames })[1]?.content ?? '';

describe('createPrompt', () => {
  it('contains the newest five texts of the user who asks, and only the topics of the other user', () => {
    const userPrompt = createUserPrompt([
      ...[1, 2, 3, 4, 5, 6].map((number) => createChatMessage(ASKER_ID, `own text ${number}`)),
      createChatMessage(OTHER_ID, 'My guitar is broken and my puppy ate it'), // "ate" is a word about food
    ]);
    expect(userPrompt).toBe(
      'My last messages, oldest first:\n- own text 2\n- own text 3\n- own text 4\n- own text 5\n- own text 6\n' +
        'Topics of the other user: music, food, animals.',
    );
  });

  it('hides contact details and the names of both users', () => {
    const userPrompt = createUserPrompt([
      createChatMessage(
        ASKER_ID,
        'hi Brave-Heron-7, I am quiet-otter-42, mail ada@example.org or call +48 600 123 456',
      ),
    ]);
    expect(userPrompt).toContain('- hi [hidden], I am [hidden], mail [hidden] or call [hidden]');
  });

  it('hides a name only where it is a whole word', () => {
    const userPrompt = createUserPrompt([createChatMessage(ASKER_ID, 'cab b')], ['a.b', 'b']);
    expect(userPrompt).toContain('- cab [hidden]');
  });

  it('treats a name as text, not as a regular expression', () => {
    const promptWithDot = createUserPrompt([createChatMessage(ASKER_ID, 'a.b axb')], ['a.b', 'b']);
    expect(promptWithDot).toContain('- [hidden] axb');
    const promptWithBracket = createUserPrompt([createChatMessage(ASKER_ID, 'text (')], ['(', '+*[\\']);
    expect(promptWithBracket).toContain('- text [hidden]');
  });

  it('omits images and deleted messages, and replaces line breaks by spaces', () => {
    const url = '/api/files/chat-images/0b5c9a2e-4f6d-4c1b-9a3e-2d7f8e1c6b5a.webp';
    const userPrompt = createUserPrompt([
      createChatMessage(ASKER_ID, url, 'image'),
      createChatMessage(ASKER_ID, undefined),
      createChatMessage(ASKER_ID, `look\nat this\n[IMAGE:${url}]`, 'mixed'),
    ]);
    expect(userPrompt).toBe('My last messages, oldest first:\n- look at this');
  });

  it('states that the asker has not written anything', () => {
    expect(createUserPrompt([createChatMessage(OTHER_ID, 'hello')])).toBe('I have not written anything yet.');
  });
});

import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { PrivateChatSuggestions } from '@/app/shell/suggestions';
import { resetModel } from '@/features/suggestions/stores/model.store';
import { useSuggestions } from '@/features/suggestions/stores/suggestions.store';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';

const host = 'api.example.com';
const modelSuggestions = ['Tea or coffee?', 'Which song again?'];
const consentTitle = 'Ideas from api.example.com?';
const friendId = 12;
/** Key of the stored choice of `aUser` between the model and the built-in suggestions. */
const choiceKey = `thaw-suggestions-source-${aUser().id}`;
// Stored choices end with the host for which they were made.
const modelChoice = `model ${host}`;
const pageChoice = `page ${host}`;

type Server = ReturnType<typeof fakeServer>;
let server: Server;

/**
 * @param modelResponse whether the server has a language model, and the model's host, or null without a model
 * @param suggestionsResponse the response to a request for suggestions of the model
 */
const createServer = (
  modelResponse: { model: boolean; host: string | null },
  suggestionsResponse: unknown = { source: 'model', suggestions: modelSuggestions },
): Server =>
  fakeServer({
    'GET /api/suggestions': modelResponse,
    'POST /api/suggestions': suggestionsResponse as object,
  });

const insert = jest.fn();
/** Renders the Suggest button of an empty composer in a private chat without messages, and presses it. */
const openSuggestions = async (): Promise<UserEvent> => {
  const user = userEvent.setup();
  render(
    <form>
      <PrivateChatSuggestions
        hasRoomForIdeas
        insert={insert}
        buttonClass=""
        conversationId={String(friendId)}
        messages={[]}
      />
    </form>,
  );
  // Waits for the request, and for the response, too: `waitFor` resolves in a later task, after the page has processed
  // the response.
  await waitFor(() => expect(server.count('GET', '/api/suggestions')).toBe(1));
  await user.click(getButton('Suggest something'));
  return user;
};

const getButton = (name: string) => screen.getByRole('button', { name });
const queryConsentDialog = () => screen.queryByRole('dialog', { name: consentTitle });
const countModelRequests = () => server.count('POST', '/api/suggestions');
/** The suggestions in the row above the composer. The other buttons of the row have only an icon and no text. */
const listSuggestions = (): string[] =>
  within(screen.getByRole('group', { name: 'Suggestions' }))
    .queryAllByRole('button')
    .map(({ textContent }) => textContent ?? '')
    .filter((text) => text !== '');
/** Waits until the three suggestions of the page itself are shown; `modelSuggestions` has only two. */
const expectBuiltInSuggestions = () =>
  waitFor(() => {
    expect(listSuggestions()).toHaveLength(3);
    expect(listSuggestions()).not.toContain(modelSuggestions[0]);
  });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  resetModel();
  insert.mockReset();
  useSuggestions.setState({ requestedIn: null, hiddenIn: null, usedIn: {}, modelIdeas: null });
  signIn(aUser());
  server = createServer({ model: true, host });
});
afterEach(() => signOut());

it('offers no model suggestions when the server has no model', async () => {
  server = createServer({ model: false, host: null });
  await openSuggestions();
  await expectBuiltInSuggestions();
  expect(queryConsentDialog()).toBeNull();
  expect(screen.queryByRole('button', { name: /^Ideas from/ })).toBeNull();
  expect(countModelRequests()).toBe(0);
});

it('asks for consent before anything is sent, names the host, and labels the suggestions of the model', async () => {
  const user = await openSuggestions();
  expect(queryConsentDialog()).toHaveAccessibleDescription(
    "Your own last five messages and the topics of the chat are sent to api.example.com. Your partner's words are not.",
  );
  expect(countModelRequests()).toBe(0);
  await user.click(getButton('Use it'));
  await waitFor(() => expect(listSuggestions()).toEqual(modelSuggestions));
  expect(queryConsentDialog()).toBeNull();
  expect(server.calls.at(-1)?.body).toEqual({ userId: aUser().id, friendId, consent: true });
  expect(getButton('Tea or coffee?')).toHaveAccessibleDescription('Ideas from api.example.com');
  expect(getButton('Ideas from api.example.com')).toBeVisible();
  await user.click(getButton('Tea or coffee?'));
  expect(insert).toHaveBeenCalledWith('Tea or coffee?');
});

it.each<[string, (user: UserEvent) => Promise<void>]>([
  ['Only ideas from this page', (user) => user.click(getButton('Only ideas from this page'))],
  ['Close', (user) => user.click(getButton('Close'))],
  ['Escape', (user) => user.keyboard('{Escape}')],
])('sends nothing after the user refuses consent with %s, and does not ask again', async (_, refuse) => {
  const user = await openSuggestions();
  await refuse(user);
  await expectBuiltInSuggestions();
  expect(queryConsentDialog()).toBeNull();
  await user.click(getButton('Hide'));
  await user.click(getButton('Suggest something'));
  expect(queryConsentDialog()).toBeNull();
  expect(countModelRequests()).toBe(0);
});

it('does not ask for consent when the user has consented to this host in this browser', async () => {
  localStorage.setItem(choiceKey, modelChoice);
  await openSuggestions();
  await waitFor(() => expect(listSuggestions()).toEqual(modelSuggestions));
});

it.each([
  ['another user', 'thaw-suggestions-source-999', modelChoice],
  ['another host', choiceKey, 'model elsewhere.example'],
])('asks for consent when the stored consent is for %s', async (_, key, value) => {
  localStorage.setItem(key, value);
  await openSuggestions();
  expect(queryConsentDialog()).not.toBeNull();
  expect(countModelRequests()).toBe(0);
});

it('sends no more requests after the user withdraws the consent', async () => {
  localStorage.setItem(choiceKey, modelChoice);
  const user = await openSuggestions();
  // The label of the suggestions is a button that opens the question for consent again.
  await user.click(await screen.findByRole('button', { name: 'Ideas from api.example.com' }));
  expect(countModelRequests()).toBe(1);
  await user.click(getButton('Only ideas from this page'));
  await expectBuiltInSuggestions();
  await user.click(getButton('Other ideas'));
  expect(countModelRequests()).toBe(1);
  expect(localStorage.getItem(choiceKey)).toBe(pageChoice);
});

it.each([
  ['has no suggestions', { source: 'none', suggestions: [] }],
  ['refuses', new Refusal(429)],
  ['fails', new Refusal(503)],
  ['sends an invalid response', { suggestions: 'no' }],
  ['sends only suggestions that the user has inserted before', { source: 'model', suggestions: ['used'] }],
])('shows the built-in suggestions when the server %s', async (_, response) => {
  localStorage.setItem(choiceKey, modelChoice);
  server = createServer({ model: true, host }, response);
  useSuggestions.setState({ usedIn: { [friendId]: ['used'] } });
  await openSuggestions();
  await expectBuiltInSuggestions();
  expect(getButton('Ideas from this page')).toBeVisible();
});

it('reuses the suggestions of the model when the row reopens, and requests new ones after Other ideas', async () => {
  localStorage.setItem(choiceKey, modelChoice);
  const user = await openSuggestions();
  await waitFor(() => expect(listSuggestions()).toEqual(modelSuggestions));
  await user.click(getButton('Hide'));
  await user.click(getButton('Suggest something'));
  await waitFor(() => expect(listSuggestions()).toEqual(modelSuggestions));
  expect(countModelRequests()).toBe(1);
  await user.click(getButton('Other ideas'));
  await waitFor(() => expect(countModelRequests()).toBe(2));
});

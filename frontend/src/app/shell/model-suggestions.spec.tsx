import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { PrivateChatSuggestions } from '@/app/shell/suggestions';
import { forgetModel } from '@/features/suggestions/stores/model.store';
import { useSuggestions } from '@/features/suggestions/stores/suggestions.store';
import { signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';

const host = 'api.example.com';
const modelIdeas = ['Tea or coffee?', 'Which song again?'];
const question = 'Ideas from api.example.com?';

type Server = ReturnType<typeof fakeServer>;
let server: Server;

const createServer = (
  source: object,
  suggestions: unknown = { source: 'model', suggestions: modelIdeas },
): Server =>
  fakeServer({
    'GET /api/suggestions': source,
    'POST /api/suggestions': suggestions as object,
  });

const insert = jest.fn();
const show = async () => {
  render(
    <form>
      <PrivateChatSuggestions isFree insert={insert} buttonClass="" conversationId="12" messages={[]} />
    </form>,
  );
  // Wait until the page knows whether the server offers a model.
  await waitFor(() => expect(server.count('GET', '/api/suggestions')).toBe(1));
  await Promise.resolve();
  return userEvent.setup();
};

const button = (name: string) => screen.getByRole('button', { name });
const queryDialog = () => screen.queryByRole('dialog', { name: question });
const countModelRequests = () => server.count('POST', '/api/suggestions');
const listChips = (): string[] =>
  within(screen.getByRole('group', { name: 'Suggestions' }))
    .queryAllByRole('button')
    .map(({ textContent }) => textContent ?? '')
    .filter((text) => text !== '');
const expectOfflineChips = () =>
  waitFor(() => {
    expect(listChips()).toHaveLength(3);
    expect(listChips()).not.toContain(modelIdeas[0]);
  });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  forgetModel();
  insert.mockReset();
  useSuggestions.setState({ requestedIn: null, hiddenIn: null, usedIn: {}, modelIdeas: null });
  signIn(aUser());
  server = createServer({ model: true, host });
});
afterEach(() => signOut());

it('offers no model suggestions when the server has no model', async () => {
  server = createServer({ model: false, host: null });
  const user = await show();
  await user.click(button('Suggest something'));
  await expectOfflineChips();
  expect(queryDialog()).toBeNull();
  expect(screen.queryByRole('button', { name: /^Ideas from/ })).toBeNull();
  expect(countModelRequests()).toBe(0);
});

it('asks for consent before anything is sent, names the host, and labels the suggestions of the model', async () => {
  const user = await show();
  await user.click(button('Suggest something'));
  expect(queryDialog()).toHaveAccessibleDescription(
    "Your own last five messages and the topics of the chat are sent to api.example.com. Your partner's words are not.",
  );
  expect(countModelRequests()).toBe(0);
  await user.click(button('Use it'));
  await waitFor(() => expect(listChips()).toEqual(modelIdeas));
  expect(queryDialog()).toBeNull();
  expect(server.calls.at(-1)?.body).toEqual({ userId: aUser().id, friendId: 12, consent: true });
  expect(button('Tea or coffee?')).toHaveAccessibleDescription('Ideas from api.example.com');
  expect(button('Ideas from api.example.com')).toBeVisible();
  await user.click(button('Tea or coffee?'));
  expect(insert).toHaveBeenCalledWith('Tea or coffee?');
});

it.each(['Only ideas from this page', 'Close', '{Escape}'])(
  'sends nothing after consent is refused with %s, and does not ask again',
  async (refusal) => {
    const user = await show();
    await user.click(button('Suggest something'));
    await (refusal === '{Escape}' ? user.keyboard(refusal) : user.click(button(refusal)));
    await expectOfflineChips();
    expect(queryDialog()).toBeNull();
    await user.click(button('Hide'));
    await user.click(button('Suggest something'));
    expect(queryDialog()).toBeNull();
    expect(countModelRequests()).toBe(0);
  },
);

it('does not ask a user who has consented to this host in this browser', async () => {
  localStorage.setItem(`thaw-suggestions-source-${aUser().id}`, `model ${host}`);
  const user = await show();
  await user.click(button('Suggest something'));
  await waitFor(() => expect(listChips()).toEqual(modelIdeas));
});

it.each([
  ['another user', `thaw-suggestions-source-999`, `model ${host}`],
  ['another host', `thaw-suggestions-source-${aUser().id}`, 'model elsewhere.example'],
])('asks again when the stored consent is for %s', async (_, key, value) => {
  localStorage.setItem(key, value);
  const user = await show();
  await user.click(button('Suggest something'));
  expect(queryDialog()).not.toBeNull();
  expect(countModelRequests()).toBe(0);
});

it('sends no more requests after the user withdraws the consent', async () => {
  localStorage.setItem(`thaw-suggestions-source-${aUser().id}`, `model ${host}`);
  const user = await show();
  await user.click(button('Suggest something'));
  await user.click(await screen.findByRole('button', { name: 'Ideas from api.example.com' }));
  await user.click(button('Only ideas from this page'));
  await expectOfflineChips();
  const requestCount = countModelRequests();
  await user.click(button('Other ideas'));
  expect(countModelRequests()).toBe(requestCount);
  expect(localStorage.getItem(`thaw-suggestions-source-${aUser().id}`)).toBe(`page ${host}`);
});

it.each([
  ['has no suggestions', { source: 'none', suggestions: [] }],
  ['refuses', new Refusal(429)],
  ['fails', new Refusal(503)],
  ['sends an invalid response', { suggestions: 'no' }],
  ['repeats a used suggestion', { source: 'model', suggestions: ['used'] }],
])('shows the built-in suggestions when the server %s', async (_, response) => {
  localStorage.setItem(`thaw-suggestions-source-${aUser().id}`, `model ${host}`);
  server = createServer({ model: true, host }, response);
  useSuggestions.setState({ usedIn: { 12: ['used'] } });
  const user = await show();
  await user.click(button('Suggest something'));
  await expectOfflineChips();
  expect(button('Ideas from this page')).toBeVisible();
});

it('reuses the model suggestions when the row is shown again, and requests new ones for Other ideas', async () => {
  localStorage.setItem(`thaw-suggestions-source-${aUser().id}`, `model ${host}`);
  const user = await show();
  await user.click(button('Suggest something'));
  await waitFor(() => expect(listChips()).toEqual(modelIdeas));
  await user.click(button('Hide'));
  await user.click(button('Suggest something'));
  await waitFor(() => expect(listChips()).toEqual(modelIdeas));
  expect(countModelRequests()).toBe(1);
  await user.click(button('Other ideas'));
  await waitFor(() => expect(countModelRequests()).toBe(2));
});

import { type BrowserContext, type Page } from '@playwright/test';
import { type SelfUser } from '@thaw/contract/users';
import { openSidebar } from './sidebar.ts';
import { expect, storeUser } from './test.ts';

/** @returns an e-mail address that no account has yet */
export const createEmail = (): string =>
  `someone-${Date.now()}-${Math.floor(Math.random() * 1e6)}@example.com`;

/**
 * Creates an account over HTTP, or signs in to it if it exists, chooses a gender if it has none, and opens /chat.
 */
export const signInAndOpenChat = async (
  context: BrowserContext,
  account: { email: string; password: string },
): Promise<{ page: Page; user: SelfUser }> => {
  // Fails if the account exists.
  const registration = await context.request.post('/api/register', { data: account });
  const response = registration.ok()
    ? registration
    : await context.request.post('/api/login', { data: account });
  const { user } = (await response.json()) as { user: SelfUser };
  if (user.gender === null) {
    const chosen = await context.request.patch(`/api/user/${user.id}`, { data: { gender: 'female' } });
    expect(chosen.ok()).toBe(true);
    user.gender = 'female';
  }
  await storeUser(context, user);
  const page = await context.newPage();
  await page.goto('/chat');
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
  return { page, user };
};

/** Opens Profile Settings from the sidebar. On a small screen the sidebar is closed, so it is opened first. */
export const openSettings = async (page: Page): Promise<void> => {
  const profileButton = page.getByRole('button', { name: /^Profile Settings: / });
  // Waits for the page to load: `openSidebar` does nothing while its button is missing.
  await expect(
    page
      .getByRole('button', { name: /^Open sidebar/ })
      .or(profileButton)
      .first(),
  ).toBeVisible();
  await openSidebar(page);
  await profileButton.click();
  await expect(page.getByRole('dialog', { name: 'Profile Settings' }).getByRole('tablist')).toBeVisible();
};

/** Reads the user that the page has stored in localStorage; null after a logout. */
export const readStoredUser = (page: Page): Promise<SelfUser | null> =>
  page.evaluate(() => {
    // The page always has this entry. After a logout its `user` is null.
    const stored = localStorage.getItem('thaw-chat-auth') as string;
    return (JSON.parse(stored) as { state: { user: SelfUser | null } }).state.user;
  });

/** Expects a toast with this title and, if given, description. */
export const expectToast = async (page: Page, title: string, description?: string): Promise<void> => {
  // `first`, because Radix repeats both texts for screen readers.
  await expect(page.getByText(title, { exact: true }).first()).toBeVisible();
  if (description) await expect(page.getByText(description, { exact: true }).first()).toBeVisible();
};

import { type Page } from '@playwright/test';
import { expect } from './test.ts';

/** Locates the sidebar of a small screen, which is a modal sheet. */
const getSheet = (page: Page) => page.getByRole('dialog', { name: 'Sidebar' });

/** Opens the sidebar on a small screen; does nothing on a large one, which always shows the sidebar. */
export const openSidebar = async (page: Page): Promise<void> => {
  const button = page.getByRole('button', { name: /^Open sidebar/ });
  if (!(await button.isVisible())) return;
  await button.click();
  await expect(getSheet(page)).toBeVisible();
};

/** Closes the sidebar on a small screen if it is open. */
export const closeSidebar = async (page: Page): Promise<void> => {
  const button = getSheet(page).getByRole('button', { name: 'Close sidebar' });
  if (await button.isVisible()) await button.click();
  await expect(getSheet(page)).toBeHidden();
};

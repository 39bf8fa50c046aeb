import { pageLimits } from '../src/lib/page-limits';
import { expectAccessibleOnPhoneAndDesktop } from './support/accessibility.ts';
import { expect, test } from './support/test.ts';

/** Smallest side of a control that can be tapped reliably. */
const minTargetPx = 44;

/** Host of the language model; the page names it before it sends texts there. */
const host = 'api.example.com';
/** The responses of `/api/suggestions` by method. */
const suggestionResponses: Record<string, object> = {
  // The operator has configured a language model.
  GET: { model: true, host },
  // The answer of the model.
  POST: { source: 'model', suggestions: ['Which sauce did you make?'] },
};

test('messages suggested after a silence can be put into the composer, replaced by a model’s, and hidden', async ({
  pair,
}) => {
  const [ada, bob] = await pair({
    prepare: async (page) => {
      await page.clock.install();
      await page.route('**/api/suggestions', (route) =>
        route.fulfill({ json: suggestionResponses[route.request().method()] }),
      );
    },
  });
  const suggestions = ada.page.getByRole('group', { name: 'Suggestions' });
  const message = ada.message('I made pasta today');
  await bob.sendMessage('I made pasta today');
  await expect(message).toBeVisible();
  const positionBefore = await message.boundingBox();

  await ada.page.clock.fastForward(pageLimits.suggestionsAfterMs);
  // Three suggestions of the page, and three more buttons: one to change the source of suggestions (page or model), one
  // to show others, and one to hide all. The model is not asked before the user agrees.
  await expect(suggestions.getByRole('button')).toHaveCount(6);
  expect(await message.boundingBox(), 'the messages do not move').toEqual(positionBefore);
  await expectAccessibleOnPhoneAndDesktop(ada.page, 'suggestions', { within: 'main' });
  for (const button of await suggestions.getByRole('button').all()) {
    const { width, height } = (await button.boundingBox()) ?? { width: 0, height: 0 };
    expect(Math.min(width, height), 'size of a target').toBeGreaterThanOrEqual(minTargetPx);
  }

  // The first suggestion; the button for the source precedes it.
  const suggestion = suggestions.getByRole('button').nth(1);
  const text = (await suggestion.textContent()) ?? '';
  // Pressing it puts its text into the composer, without sending it.
  await suggestion.press('Enter');
  await expect(ada.field).toHaveValue(text);
  await expect(ada.field).toBeFocused();
  await expect(suggestions).toBeHidden();
  await expect(bob.page.getByText(`${ada.name} is typing`)).toBeVisible();
  await expect(bob.message(text)).toHaveCount(0);
  await ada.field.press('Enter');
  await expect(bob.message(text)).toBeVisible();

  // The button in the composer shows suggestions again. It first asks whether to use the model. After the user has
  // agreed, the suggestion of the model replaces those of the page.
  await ada.button('Suggest something').click();
  await ada.page
    .getByRole('dialog', { name: `Ideas from ${host}?` })
    .getByText('Use it')
    .click();
  await expect(suggestions.getByRole('button', { name: 'Which sauce did you make?' })).toBeVisible();
  await expect(suggestions.getByRole('button', { name: text })).toHaveCount(0);
  // Hidden suggestions do not return after the next silence.
  await suggestions.getByRole('button', { name: 'Hide' }).press('Enter');
  await expect(ada.button('Suggest something')).toBeFocused();
  await ada.page.clock.fastForward(pageLimits.suggestionsAfterMs);
  await expect(suggestions).toBeHidden();
});

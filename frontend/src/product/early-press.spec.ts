import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeatEarlyPress } from '@/product/early-press';

/** The script of the page that records button presses until the application starts. */
const earlyScript = readFileSync(join(__dirname, '../../public/theme.js'), 'utf8');

it('repeatEarlyPress repeats only the last button press before hydration, and only once', () => {
  document.body.innerHTML = '<button id="one">one</button><button id="two"><i>two</i></button><p>three</p>';
  const scriptElement = document.createElement('script');
  scriptElement.textContent = earlyScript;
  document.head.append(scriptElement);
  document.querySelector<HTMLElement>('#one')?.click();
  document.querySelector<HTMLElement>('#two i')?.click();
  document.querySelector<HTMLElement>('p')?.click();
  const pressed: string[] = [];
  for (const button of document.querySelectorAll('button'))
    button.addEventListener('click', () => pressed.push(button.id));
  repeatEarlyPress();
  expect(pressed).toEqual(['two']);
  repeatEarlyPress();
  expect(pressed).toEqual(['two']);
});

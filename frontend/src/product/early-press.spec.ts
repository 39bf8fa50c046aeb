import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repeatEarlyPress } from '@/product/early-press';

const script = readFileSync(join(__dirname, '../../public/theme.js'), 'utf8');

it('repeats only the last button press before hydration, and only once', () => {
  document.body.innerHTML = '<button id="one">one</button><button id="two"><i>two</i></button><p>three</p>';
  const element = document.createElement('script');
  element.textContent = script;
  document.head.append(element);
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

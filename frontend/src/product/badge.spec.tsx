import { render } from '@testing-library/react';
import { Badge, formatBadge } from '@/product/badge';

it.each([
  [1, '1'],
  [99, '99'],
  [100, '99+'],
  [4_000, '99+'],
])('formatBadge formats %i as %s', (count, text) => {
  expect(formatBadge(count)).toBe(text);
});

it('Badge renders nothing for zero', () => {
  const { container } = render(<Badge count={0} label="unread" />);
  expect(container).toBeEmptyDOMElement();
});

import { QueryObserver } from '@tanstack/react-query';
import { waitFor } from '@testing-library/react';
import { handleProfileFrame } from '@/features/profile/handlers';
import { queryClient } from '@/lib/query-client';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';

const updated = (id: number): void =>
  handleProfileFrame({ event: 'profile_updated', data: { user: { id, username: 'Ada', avatar: '/a' } } });

afterEach(() => signOut());

it('takes over what I changed on another device, and keeps the rest', () => {
  signIn(aUser({ email: 'ada@example.com' }));
  updated(7);
  expect(currentUser()).toMatchObject({ username: 'Ada', avatar: '/a', email: 'ada@example.com' });
});

it('asks again who I am when the answer that is under way may be older than the change', async () => {
  signIn(aUser());
  const answers: ((user: object) => void)[] = [];
  const guard = new QueryObserver(queryClient, {
    queryKey: ['/api/user/7'],
    queryFn: () => new Promise<object>((resolve) => answers.push(resolve)),
  });
  const leave = guard.subscribe(() => undefined);
  updated(7);
  answers[0]?.(aUser());
  await waitFor(() => expect(answers).toHaveLength(2));
  leave();
  queryClient.clear();
});

it("leaves a friend's profile to others", () => {
  signIn(aUser());
  updated(8);
  expect(currentUser()).toEqual(aUser());
});

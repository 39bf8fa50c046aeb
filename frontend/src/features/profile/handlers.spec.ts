import { handleProfileFrame } from '@/features/profile/handlers';
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

it("leaves a friend's profile to others", () => {
  signIn(aUser());
  updated(8);
  expect(currentUser()).toEqual(aUser());
});

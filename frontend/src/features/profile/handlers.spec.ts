import { handleProfileFrame } from '@/features/profile/handlers';
import { currentUser, signIn, signOut } from '@/product/identity';
import { aUser } from '@/testing/factories';

const receiveProfileUpdate = (id: number): void =>
  handleProfileFrame({ event: 'profile_updated', data: { user: { id, username: 'Ada', avatar: '/a' } } });

afterEach(() => signOut());

it("applies a change of the user's profile and keeps the other fields of the user", () => {
  const user = aUser({ email: 'ada@example.com' });
  signIn(user);
  receiveProfileUpdate(user.id);
  expect(currentUser()).toMatchObject({ username: 'Ada', avatar: '/a', email: 'ada@example.com' });
});

it('ignores the profile of a friend', () => {
  const friendId = 8;
  signIn(aUser());
  receiveProfileUpdate(friendId);
  expect(currentUser()).toEqual(aUser());
});

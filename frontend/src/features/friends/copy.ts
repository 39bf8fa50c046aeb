/** Texts of friends and their requests. Those of the product specification are quoted in testing/specification.spec.ts. */
export const copy = {
  list: {
    title: 'Friends',
    count: (count: number) => `Friends (${count})`,
    label: 'Friends',
    empty: 'No friends yet. Start chatting to make new friends!',
    loading: 'Loading your friends',
    failed: 'Your friends could not be loaded.',
    retry: 'Try again',
    online: 'Online',
    offline: 'Offline',
    unread: 'unread',
    send: 'Send Message',
    sendTo: (name: string) => `Send Message to ${name}`,
    remove: 'Remove Friend',
  },
  requests: {
    title: 'Friend Requests',
    label: 'Friend requests',
    empty: 'No pending friend requests',
    loading: 'Loading the requests',
    failed: 'The requests could not be loaded.',
    retry: 'Try again',
    accept: 'Accept',
    decline: 'Decline',
    wants: 'would like to be your friend',
    close: 'Close',
    /** When the requester cannot be loaded (A66). */
    placeholder: (id: number) => `Utilizador #${id}`,
  },
  add: {
    idle: 'Add Friend',
    sent: { toolbar: 'Sent!', skipped: 'Friend Request Sent', history: 'Sent!' },
    friends: 'Friends',
  },
  toasts: {
    sent: { title: 'Friend request sent' },
    /** The other had asked already (A121). */
    sentAndAccepted: { title: 'Friend request sent', description: 'You are friends now.' },
    sendFailed: { title: 'Error', description: 'Could not send friend request.' },
    accepted: { title: 'Request accepted', description: 'User has been added to your friends.' },
    declined: { title: 'Request declined' },
    answerFailed: { title: 'Error', description: 'Could not respond to request. Please try again.' },
  },
} as const;

/**
 * Texts of friends and friend requests. testing/specification.spec.ts checks those that the product specification
 * quotes.
 */
export const copy = {
  list: {
    title: 'Friends',
    count: (count: number) => `Friends (${count})`,
    /** Accessible name of the list. */
    label: 'Friends',
    empty: 'No friends yet. Start chatting to make new friends!',
    loading: 'Loading your friends',
    failed: 'Your friends could not be loaded.',
    unread: 'unread',
    send: 'Send Message',
    sendTo: (name: string) => `Send Message to ${name}`,
    remove: 'Remove Friend',
    typing: 'typing…',
    draft: 'Draft:',
    fromMe: (line: string) => `You: ${line}`,
    photo: 'Photo',
    deleted: 'Message deleted',
    search: 'Search friends',
    found: (count: number) => (count === 1 ? '1 friend found' : `${count} friends found`),
    noneFound: 'No friend has that name.',
  },
  switcher: { title: 'Switch to a friend' },
  requests: {
    title: 'Friend Requests',
    /** Accessible name of the list. */
    label: 'Friend requests',
    empty: 'No pending friend requests',
    loading: 'Loading the requests',
    failed: 'The requests could not be loaded.',
    accept: 'Accept',
    decline: 'Decline',
    wants: 'would like to be your friend',
    /**
     * Used when the requester's profile cannot be loaded. The product specification requires the Portuguese word
     * (docs/product-decisions.md, A66).
     */
    placeholder: (id: number) => `Utilizador #${id}`,
  },
  add: {
    idle: 'Add Friend',
    /** By place of the button: the toolbar, the screen after a chat, and the history. */
    sent: { toolbar: 'Sent!', endedChat: 'Friend Request Sent', history: 'Sent!' },
    alreadyFriends: 'Friends',
  },
  toasts: {
    sent: { title: 'Friend request sent' },
    /** Used when the other user had already sent a request, so that the two are friends at once. */
    sentAndAccepted: { title: 'Friend request sent', description: 'You are friends now.' },
    sendFailed: { title: 'Error', description: 'Could not send friend request.' },
    accepted: { title: 'Request accepted', description: 'User has been added to your friends.' },
    declined: { title: 'Request declined' },
    received: {
      title: 'New friend request',
      description: (name: string) => `From ${name}`,
      // `altText` describes to users of screen readers how to do the same without the toast.
      action: { label: 'Accept', altText: 'Open Friend Requests to accept it' },
    },
    befriended: {
      title: 'You have a new friend',
      description: (name: string) => `${name} accepted your request.`,
      action: { label: 'Open', altText: 'Open the chat from the list of friends' },
    },
    answerFailed: { title: 'Error', description: 'Could not respond to request. Please try again.' },
  },
} as const;

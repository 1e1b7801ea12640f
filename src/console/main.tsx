import { render } from 'preact';
import { App } from './app.tsx';
import { dropQuestions, watchDialogs } from './components/dialog.tsx';
import { watchConnection } from './connection.ts';
import { startLive } from './live.ts';
import { dismissAll, watchFailures } from './notices.tsx';
import { watchOutbox } from './outbox.tsx';
import { startRouter } from './router.ts';
import { watchSession, watchUse } from './session.ts';

const root = document.querySelector('#console');
if (root === null) throw new Error('The page has no element for the console.');
startRouter();
watchConnection();
watchFailures();
watchDialogs();
watchSession(() => {
  dismissAll();
  dropQuestions();
});
watchUse();
watchOutbox();
startLive();
render(<App />, root);

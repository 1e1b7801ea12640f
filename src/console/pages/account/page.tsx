import { Button } from '../../components/button.tsx';
import { InAddress } from '../../components/dialog.tsx';
import { FieldProblem, Select } from '../../components/field.tsx';
import { FormDialog } from '../../components/form.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { PASSWORD_HINT, PasswordField } from '../../components/password-field.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { formatAgo, formatMoment } from '../../format.ts';
import { chosenLanguage, LANGUAGES, type Language, t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { setQuery } from '../../router.ts';
import { changePassword, endOwnSession, type OwnSession, ownSessions } from '../../service.ts';
import { changeLanguage, person } from '../../session.ts';

/** One's own account: the password, and where one is signed in. */
export default function AccountPage() {
  const sessions = useLoaded(ownSessions, []);
  const { name = '', isStaff = false, language = chosenLanguage() } = person.value ?? {};

  async function end({ id }: OwnSession) {
    await endOwnSession(id);
    notify(t`That browser is signed out.`);
    sessions.reload();
  }

  return (
    <>
      <PageHeader title={t`Your account`}>
        {isStaff && (
          <Button onClick={() => setQuery({ change: 'password' })}>{t`Change password`}</Button>
        )}
      </PageHeader>
      <p class="page-lead">
        {isStaff ? t`You are ${name}.` : t`You signed in with the API key of ${name}.`}{' '}
        {t`This is where you are signed in. End any sign-in that is not yours, then change the password.`}
      </p>
      <WhenLoaded from={sessions}>
        {(items) => (
          <Table
            caption={t`Where you are signed in`}
            items={items}
            columns={[
              { name: t`Signed in`, cell: ({ createdAt }) => formatMoment(createdAt) },
              {
                name: t`Last used`,
                cell: ({ isCurrent, lastUsedAt }) =>
                  isCurrent ? t`Now, in this browser` : formatAgo(lastUsedAt),
              },
            ]}
            actions={(one) =>
              !one.isCurrent && (
                <Button
                  kind="small"
                  label={t`End the sign-in of ${formatMoment(one.createdAt)}`}
                  onClick={() => end(one)}
                >{t`End`}</Button>
              )
            }
          />
        )}
      </WhenLoaded>
      <div class="account-language">
        <Select
          label={t`Language`}
          name="language"
          value={language ?? ''}
          hint={isStaff ? t`Wherever you sign in, and in e-mails to you.` : t`In this browser.`}
          options={[['', t`Follow the browser`], ...Object.entries(LANGUAGES)]}
          onValue={(wanted) => void changeLanguage((wanted || null) as Language | null)}
        />
      </div>
      {isStaff && (
        <InAddress name="change">{() => <ChangePassword onDone={sessions.reload} />}</InAddress>
      )}
    </>
  );
}

function ChangePassword({ onDone }: { readonly onDone: () => void }) {
  async function change(form: FormData) {
    const read = (name: string) => String(form.get(name) ?? '');
    if (read('password') !== read('again')) {
      throw new FieldProblem('again', t`The two new passwords differ.`);
    }
    await changePassword(read('current'), read('password')).catch((error) => {
      if (error.code !== 'wrong_password') throw error;
      throw new FieldProblem('current', t`The current password is wrong.`);
    });
    notify(t`The password is changed, and you are signed out everywhere else.`);
    onDone();
  }

  return (
    <FormDialog title={t`Change password`} onSubmit={(_, form) => change(form)}>
      <PasswordField label={t`Current password`} name="current" kind="current-password" />
      <PasswordField label={t`New password`} kind="new-password" hint={PASSWORD_HINT} />
      <PasswordField label={t`Repeat it`} name="again" kind="new-password" />
    </FormDialog>
  );
}

import { UserError, oneLine } from '../../errors.ts';

/**
 * The base URL that a cluster's `server` means: client-go rest/url_utils.go DefaultServerURL. A bare host is reached by
 * plain HTTP, as kubectl does (tools/clientcmd looks for a scheme before it looks at any certificate).
 * @param of names the cluster in an error
 * @returns without a trailing slash, query or fragment
 * @throws UserError where it is no HTTP address.
 */
export function serverUrl(server: string, of: string): string {
  const given = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(server);
  const url = URL.parse(given ? server : `http://${server}`);
  const bare = given || url?.pathname === '/';
  if (url === null || !bare || !/^https?:$/.test(url.protocol)) {
    throw new UserError(
      `cannot use server "${oneLine(server)}" of ${of}: give a URL such as https://host:6443`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UserError(`cannot use the server of ${of}: its URL must not contain a user and password`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

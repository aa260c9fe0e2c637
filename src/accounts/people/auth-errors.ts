/** Words that the sign-in library is set up with and that its callers use. */

/** Header in which the caller's address is handed to the library; whoever calls it sets it, from the connection. */
export const addressHeader = "x-client-ip";
export const authPath = "/v1/auth";
/** The front end's page where people sign in, and are told what went wrong with it. */
export const signInPage = "/sign-in";

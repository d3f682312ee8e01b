@file:JvmName("Coroutines")

package com.thumbturn

import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine

// The Java API as suspend functions and flows. Each function throws a Failure; cancelling its coroutine cancels the call, and
// dismisses a prompt or screen that the call shows. For [Authenticator.useAnotherWay] and [Authenticator.prompt] the app needs the
// future: it begins the call by the Java method, and waits by [outcome].

/** Waits for the outcome of a call. Cancelling the coroutine cancels the call. */
suspend fun <T> CompletableFuture<T>.outcome(): T = suspendCancellableCoroutine { continuation ->
    whenComplete { value, thrown ->
        when (thrown) {
            null -> continuation.resume(value)
            is CompletionException -> continuation.resumeWithException(thrown.cause ?: thrown)
            else -> continuation.resumeWithException(thrown)
        }
    }
    continuation.invokeOnCancellation { cancel(false) }
}

/** What can be done now; see [Authenticator.readiness]. */
suspend fun Authenticator.isReady(policy: Policy = Policy.UNLOCK): Readiness = readiness(policy).outcome()

/** Signs the person in with credentials and enrols this device; see [Authenticator.enrol]. */
suspend fun Authenticator.enrolling(
    signIn: SignIn,
    reason: String,
    policy: Policy = Policy.UNLOCK,
    deviceName: String? = null,
    ifExists: Authenticator.IfExists = Authenticator.IfExists.KEEP,
): Device = enrol(signIn, policy, deviceName, reason, ifExists).outcome()

/** Enrols the person who has just signed in; see [Authenticator.addBiometrics]. */
suspend fun Authenticator.addingBiometrics(
    reason: String,
    policy: Policy = Policy.UNLOCK,
    deviceName: String? = null,
): Device = addBiometrics(policy, deviceName, reason).outcome()

/** Signs in with a key of this device; see [Authenticator.authenticate]. */
suspend fun Authenticator.unlock(
    reason: String,
    policy: Policy = Policy.UNLOCK,
    start: Start = Start.TAP,
): Grant = authenticate(reason, policy, start).outcome()

/** Signs in with credentials; see [Authenticator.signIn]. */
suspend fun Authenticator.signingIn(signIn: SignIn, reason: String): Grant = signIn(signIn, reason).outcome()

/** The account of the session. */
suspend fun Authenticator.account(): Account = me().outcome()

/** Proves presence for one action; see [Authenticator.stepUp]. */
suspend fun Authenticator.steppingUp(
    action: Action,
    reason: String,
    amount: Amount? = null,
    policy: Policy = Policy.HIGH_RISK,
): Grant = stepUp(action, amount, reason, policy).outcome()

/** Sends a request to one of the app's own APIs; see [Authenticator.send]. */
suspend fun Authenticator.sending(request: Request): Response = send(request).outcome()

/** Has the person approve what was shown; see [Authenticator.approve]. */
suspend fun Authenticator.approving(shown: Approval): Approval = approve(shown).outcome()

/** The news of the account's unlocks, while it is collected. It fails where they cannot be heard. */
fun Authenticator.news(): Flow<News> = flowOf(::news)

/** The news of the vault's unlocks, while it is collected. It fails where they cannot be heard. */
fun Vault.news(): Flow<News> = flowOf(::news)

/**
 * Opens the vault with one prompt, runs the body where the caller's coroutine runs, and closes the vault when the body has ended;
 * see [Vault.unlocked]. What the body throws is thrown. An open vault that is used later fails with [Failure.VAULT_CLOSED].
 */
suspend fun <T> Vault.unlocking(
    reason: String,
    start: Start = Start.TAP,
    body: suspend CoroutineScope.(OpenVault) -> T,
): T = coroutineScope {
    unlocked(reason, start) { open ->
        val result = CompletableFuture<T>()
        launch {
            try {
                result.complete(body(open))
            } catch (thrown: Throwable) {
                // The call ends with it.
                result.completeExceptionally(thrown)
            }
        }
        result
    }.outcome()
}

/** Reads the secret of this name; null where there is none. */
suspend fun OpenVault.secret(name: String): ByteArray? = read(name).outcome()

/** Stores a secret; see [OpenVault.save]. */
suspend fun OpenVault.keep(name: String, secret: ByteArray) {
    save(name, secret).outcome()
}

/** A flow that fails as the subscription does. No news is dropped, however slowly it is collected. */
private fun flowOf(listen: (java.util.function.Consumer<News>) -> Subscription): Flow<News> = callbackFlow {
    val subscription = listen { trySend(it) }
    subscription.ended().whenComplete { _, thrown -> close(thrown) }
    awaitClose { subscription.close() }
}.buffer(Channel.UNLIMITED)

package com.thumbturn.internal

import com.thumbturn.Failure
import com.thumbturn.News
import com.thumbturn.Policy
import com.thumbturn.Rung
import com.thumbturn.Thumbturn
import com.thumbturn.Vault
import com.thumbturn.news
import com.thumbturn.secret
import com.thumbturn.unlock
import com.thumbturn.unlocking
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit
import kotlin.system.exitProcess
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch

/** A coroutine that runs on the thread that resumes it, and what it ended with. */
internal class Running<T>(body: suspend () -> T) {
    val outcome = CompletableFuture<T>()
    val job: Job = CoroutineScope(Dispatchers.Unconfined).launch {
        try {
            outcome.complete(body())
        } catch (thrown: Throwable) {
            outcome.completeExceptionally(thrown)
        }
    }
}

/** The suspend functions and flows over a double of the Swift side. */
internal class CoroutineTests {
    private val app = ApiPhone(36)

    private fun canceled(call: Phone.Call) = Phone.equal(call.id(), Message.Reader(app.call(1).request()).number())

    private fun hint() = Message.Writer().number(1).text("appPIN").text("Use PIN")

    @Test("a suspend call returns what Swift answered")
    fun returning() {
        val auth = app.authenticator()
        val running = Running { auth.unlock("Unlock") }
        app.done(app.call(10), ApiPhone.grant("biometric"))
        Phone.equal(Rung.BIOMETRIC, app.result(running.outcome).rung)
    }

    @Test("a suspend call throws the failure itself")
    fun throwing() {
        val auth = app.authenticator()
        val running = Running { auth.unlock("Unlock") }
        app.failed(app.call(10), ApiPhone.failure("notMatched", "retry"))
        val thrown = app.problem(running.outcome)
        Phone.check(thrown is Failure && thrown.code == Failure.NOT_MATCHED, "it threw $thrown")
    }

    @Test("cancelling the coroutine cancels the call, and a later answer changes nothing")
    fun cancelling() {
        val auth = app.authenticator()
        val running = Running { auth.unlock("Unlock") }
        val call = app.call(10)
        running.job.cancel()
        canceled(call)
        app.done(call, ApiPhone.grant("biometric"))
        app.silent()
        Phone.check(running.outcome.isCompletedExceptionally && running.job.isCancelled, "it went on")
    }

    @Test("a coroutine that was cancelled before it began calls nothing")
    fun cancelledEarly() {
        val auth = app.authenticator()
        val scope = CoroutineScope(Dispatchers.Unconfined + Job().apply { cancel() })
        scope.launch { auth.unlock("Unlock") }
        app.silent()
    }

    @Test("the flow of news tells what comes, and its subscription ends with the collecting")
    fun news() {
        val auth = app.authenticator()
        val heard = ArrayList<News>()
        val running = Running { auth.news().collect { heard.add(it) } }
        val call = app.call(6)
        app.news(call, hint())
        app.news(call, hint())
        Phone.equal(listOf("Use PIN", "Use PIN"), heard.map { it.text })
        running.job.cancel()
        canceled(call)
        app.news(call, hint())
        Phone.equal(2, heard.size)
        app.silent()
    }

    @Test("a collector that has enough ends the subscription")
    fun enough() {
        val auth = app.authenticator()
        val running = Running { auth.news().take(1).collect {} }
        val call = app.call(6)
        app.news(call, hint())
        app.result(running.outcome)
        canceled(call)
    }

    @Test("each collecting of a flow is a subscription of its own")
    fun collecting() {
        val auth = app.authenticator()
        val flow = auth.news()
        app.silent()
        val first = Running { flow.collect {} }
        val one = app.call(6)
        Running { flow.collect {} }
        val two = app.call(6)
        first.job.cancel()
        canceled(one)
        Phone.check(one.id() != two.id(), "they share a subscription")
        app.silent()
    }

    @Test("a vault is open while the body runs, and closed with what it returns")
    fun unlocking() {
        val vault = vault()
        val running = Running { vault.unlocking("Open") { it.secret("token")?.decodeToString() } }
        val use = opened()
        app.news(use, Message.Writer().number(8).text("biometric"))
        app.done(app.call(35), Message.Writer().bytes("s3cret".toByteArray()))
        app.phone.android.main.settle()
        Phone.equal(8L, Message.Reader(app.call(2).request()).number())
        app.done(use, Message.Writer())
        Phone.equal("s3cret", app.result(running.outcome))
    }

    @Test("cancelling the coroutine cancels the body and the unlock, and closes the vault")
    fun cancellingTheBody() {
        val vault = vault()
        var ended = false
        val running = Running {
            vault.unlocking<Unit>("Open") {
                try {
                    awaitCancellation()
                } finally {
                    ended = true
                }
            }
        }
        val use = opened()
        app.news(use, Message.Writer().number(8).text("biometric"))
        running.job.cancel()
        app.phone.android.main.settle()
        // The two come in no order.
        val calls = List(2) { app.phone.calls.poll(10, TimeUnit.SECONDS)?.operation() }
        Phone.equal(setOf<Int?>(1, 2), calls.toSet())
        Phone.check(ended && running.job.isCancelled, "the body goes on")
    }

    private fun vault() =
        app.open(Thumbturn.Options.DEFAULT).vault("designs", Vault.Access.USER_PRESENCE, Policy.STORED_CREDENTIAL)

    private fun opened(): Phone.Call {
        app.done(app.call(3), Message.Writer().number(1))
        app.done(app.call(5), Message.Writer().number(7))
        return app.call(34)
    }
}

/** Runs all tests; the process fails if one does. */
fun main() {
    var failed = 0
    val tests = CoroutineTests::class.java.declaredMethods.filter { it.isAnnotationPresent(Test::class.java) }.sortedBy { it.name }
    for (test in tests) {
        try {
            test.invoke(CoroutineTests())
        } catch (thrown: java.lang.reflect.InvocationTargetException) {
            failed++
            System.err.println("FAILED CoroutineTests: " + test.getAnnotation(Test::class.java).value)
            thrown.cause?.printStackTrace()
        }
    }
    println("android: ${tests.size} Kotlin tests ran, $failed failed")
    exitProcess(if (failed == 0) 0 else 1)
}

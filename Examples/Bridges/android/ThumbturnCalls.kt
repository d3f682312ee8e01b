package com.example.bridge

import android.content.Context
import com.thumbturn.*
import kotlinx.coroutines.*
import org.json.*

/** What a bridge carries: calls by name, with JSON in and JSON out. */
class ThumbturnCalls(private val context: Context) {
    private val scope = MainScope()
    /** Opened by the first call, which is answered also where the library cannot be loaded. */
    private val auth by lazy { opened ?: open(context).also { opened = it } }
    /** The approvals that were shown, by their ids: what is approved is what was shown. */
    private val shown = HashMap<String, Approval>()

    /** Makes a call and answers it once, on the main thread, whatever it ends with. */
    fun call(name: String, json: String, answer: (String) -> Unit, fail: (code: String, text: String, details: String) -> Unit) {
        scope.launch {
            try {
                answer(result(name, JSONObject(json)).toString())
            } catch (failure: Failure) {
                val details = listOf("step" to failure.recovery.step.code, "button" to failure.button, "status" to failure.status)
                fail(failure.code, failure.message.orEmpty(), json(details).toString())
            } catch (thrown: CancellationException) {
                throw thrown
            } catch (thrown: JSONException) {
                fail("arguments", thrown.message.orEmpty(), "{}")
            } catch (thrown: Throwable) {
                val details = listOf("step" to Recovery.Step.REPORT.code, "status" to thrown.javaClass.name)
                fail(Failure.PLATFORM, "", json(details).toString())
            }
        }.invokeOnCompletion { if (it is CancellationException) fail(Failure.CANCELLED_BY_APP, "", "{}") }
    }

    /** Cancels the calls, dismisses what they show, and refuses others. Each of them is answered. */
    fun close() = scope.cancel()

    private suspend fun result(name: String, given: JSONObject): JSONObject = when (name) {
        "readiness" -> auth.isReady().let {
            json(listOf("enrolled" to it.isEnrolled, "next" to it.nextRung.code, "sensor" to it.sensor))
        }
        "enrol" -> {
            val login = Credentials.password(given.getString("account"), given.getString("password"))
            val device = try { auth.enrolling(login, given.getString("reason")) } finally { login.wipe() }
            json(listOf("device" to device.id, "name" to device.name))
        }
        "authenticate" -> json(listOf("rung" to auth.unlock(given.getString("reason")).rung.code))
        "approval" -> auth.approval(given.getString("id")).outcome().let { approval ->
            shown[approval.id] = approval
            val lines = approval.lines.map { json(listOf("label" to it.label, "value" to it.value)) }
            val seen = listOf("id" to approval.id, "from" to approval.from, "title" to approval.title)
            json(seen + listOf("lines" to JSONArray(lines), "caution" to approval.caution))
        }
        "approve" -> {
            val approval = shown[given.getString("id")] ?: throw JSONException("it was not shown")
            val isSigned = auth.approving(approval).isSigned
            // A prompt that was cancelled leaves it, and one that was fetched anew meanwhile stays.
            shown.remove(approval.id, approval)
            json(listOf("id" to approval.id, "signed" to isSigned))
        }
        "revoke" -> JSONObject().also { auth.revoke().outcome() }
        else -> throw JSONException("there is no call $name")
    }

    private fun json(members: List<Pair<String, Any?>>) = JSONObject(members.toMap().mapValues { it.value ?: JSONObject.NULL })

    private companion object {
        /** One in each process, also for several engines. On the main thread. */
        var opened: Authenticator? = null
        fun open(context: Context): Authenticator =
            Thumbturn.open(context, Thumbturn.Options.DEFAULT.title("Acme Bank")).authenticator("https://id.example")
    }
}

package com.example.bridge

import android.content.Context
import com.thumbturn.*
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

/** What a bridge carries: calls by name, with JSON in and JSON out. */
class ThumbturnCalls(context: Context) {
    private val auth = opened ?: open(context).also { opened = it }
    private val scope = MainScope()

    /** The approvals that were shown, by their ids: what is approved is what was shown. */
    private val shown = HashMap<String, Approval>()

    /** Makes a call and answers it once, on the main thread. */
    fun call(name: String, json: String, answer: (String) -> Unit, fail: (code: String, text: String, details: String) -> Unit) {
        scope.launch {
            try {
                answer(result(name, JSONObject(json)).toString())
            } catch (failure: Failure) {
                val details = listOf("step" to word(failure.recovery.step), "button" to failure.button, "status" to failure.status)
                fail(failure.code, failure.message.orEmpty(), json(details).toString())
            } catch (thrown: JSONException) {
                fail("arguments", thrown.message.orEmpty(), "{}")
            }
        }
    }

    /** Cancels the calls, and dismisses what they show. */
    fun close() = scope.cancel()

    private suspend fun result(name: String, given: JSONObject): JSONObject = when (name) {
        "readiness" -> auth.isReady().let {
            json(listOf("enrolled" to it.isEnrolled, "next" to word(it.nextRung), "sensor" to it.sensor))
        }
        "enrol" -> {
            val login = Credentials.password(given.getString("account"), given.getString("password"))
            val device = auth.enrolling(login, given.getString("reason"))
            json(listOf("device" to device.id, "name" to device.name))
        }
        "authenticate" -> json(listOf("rung" to word(auth.unlock(given.getString("reason")).rung)))
        "approval" -> auth.approval(given.getString("id")).outcome().let { approval ->
            shown[approval.id] = approval
            val lines = approval.lines.map { json(listOf("label" to it.label, "value" to it.value)) }
            val seen = listOf("id" to approval.id, "from" to approval.from, "title" to approval.title)
            json(seen + listOf("lines" to JSONArray(lines), "caution" to approval.caution))
        }
        "approve" -> {
            val approval = shown.remove(given.getString("id")) ?: throw JSONException("it was not shown")
            json(listOf("id" to approval.id, "signed" to auth.approving(approval).isSigned))
        }
        "revoke" -> {
            auth.revoke().outcome()
            JSONObject()
        }
        else -> throw JSONException("there is no call $name")
    }

    private fun json(members: List<Pair<String, Any?>>) =
        JSONObject().apply { members.forEach { (name, value) -> put(name, value ?: JSONObject.NULL) } }

    /** DEVICE_PASSCODE as devicePasscode, and APP_PIN as appPIN: the names that Swift uses. */
    private fun word(name: Enum<*>) =
        name.toString().lowercase().replace(Regex("_(.)")) { it.groupValues[1].uppercase() }.replace("Pin", "PIN")

    private companion object {
        /** One in each process, also for several engines. On the main thread. */
        var opened: Authenticator? = null

        fun open(context: Context): Authenticator =
            Thumbturn.open(context, Thumbturn.Options.DEFAULT.title("Acme Bank")).authenticator("https://id.example")
    }
}

package net.thumbturn.example.vault

import com.thumbturn.PinEntry
import com.thumbturn.PinRequest
import java.util.concurrent.CompletableFuture

/**
 * The app's own PIN screen: it keeps the one question that is open, and the activity on the screen shows it. All of it runs on
 * the main thread.
 *
 * The server judges the PIN, not this screen. A new PIN is asked for once; an app may ask for it twice.
 */
class PinScreen(private val changed: () -> Unit) : PinEntry {
    /** A PIN that is asked for; without a reason it is a new one. */
    class Question(val reason: String?, val cancelButton: String?, private val answers: CompletableFuture<CharArray?>) {
        /** Answers, or with null cancels. The library wipes the digits. */
        fun answer(digits: CharArray?) {
            answers.complete(digits)
        }
    }

    var question: Question? = null
        private set

    override fun enter(request: PinRequest): CompletableFuture<CharArray?> = ask(request.reason, request.cancelButton)

    override fun choose(): CompletableFuture<CharArray?> = ask(null, null)

    private fun ask(reason: String?, cancelButton: String?): CompletableFuture<CharArray?> {
        val answers = CompletableFuture<CharArray?>()
        val asked = Question(reason, cancelButton, answers)
        question = asked
        changed()
        // It is answered, or the library took the question back: then the future was cancelled.
        answers.whenComplete { _, _ ->
            if (question === asked) question = null
            changed()
        }
        return answers
    }
}

package net.thumbturn.example.vault

import com.thumbturn.PinEntry
import com.thumbturn.PinRequest
import java.util.concurrent.CompletableFuture

/**
 * The app's PIN: one question at a time, shown by the activity that looks. All of it is on the main thread.
 *
 * It judges no PIN; the server does. A new PIN is asked for once; an app may ask for it twice.
 */
class PinScreen : PinEntry {
    /** What is asked; without a reason it is a new PIN. */
    class Question(val reason: String?, val cancelButton: String?, private val answers: CompletableFuture<CharArray?>) {
        /** Answers, or with null cancels. The library wipes the digits. */
        fun answer(digits: CharArray?) {
            answers.complete(digits)
        }
    }

    var question: Question? = null
        private set

    /** Called when the question changed. */
    var changed: () -> Unit = {}

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

// Uses what openapi-generator makes for Kotlin. Prints what works, as columns of the guide.
import java.io.File
import org.openapitools.client.apis.AnimalsApi
import org.openapitools.client.apis.PhotosApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.NewPet
import org.openapitools.client.models.PetStatus

fun column(name: String, works: Boolean, cell: String = "yes") {
    println("$name: ${if (works) cell else "no"}")
}

fun main() {
    val url = System.getenv("PETSTORE_URL")
    ApiClient.accessToken = System.getenv("PETSTORE_KEY")
    val animals = AnimalsApi(url)

    val pet = animals.createPet(NewPet(name = "Willow", categoryId = Long.MAX_VALUE))
    val other = animals.createPet(NewPet(name = "Other", categoryId = 3))
    column("create", pet.status == PetStatus.available)
    val listed = animals.listPets(id = listOf(pet.id, other.id))
    column("list", listed.size == 2)
    column("int64", listed[0].categoryId == Long.MAX_VALUE, "exact")
    val photo = runCatching { PhotosApi(url).addPhoto(pet.id, File(System.getenv("PETSTORE_PHOTO"))) }
    photo.exceptionOrNull()?.let(System.err::println)
    column("upload", photo.getOrNull()?.width == 60)
    try {
        animals.getPet(999_999)
        column("error", false)
    } catch (error: ClientException) {
        column("error", (error.response as ClientError<*>).body.toString().contains("pet_not_found"))
    }
}

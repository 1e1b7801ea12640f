import java.io.File;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.AnimalsApi;
import org.openapitools.client.api.PhotosApi;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.NewPet;
import org.openapitools.client.model.Pet;
import org.openapitools.client.model.PetStatus;

/** Uses what openapi-generator makes for Java. Prints what works, as columns of the guide. */
public class Check {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("PETSTORE_URL"));
    client.setBearerToken(System.getenv("PETSTORE_KEY"));
    AnimalsApi animals = new AnimalsApi(client);

    Pet pet = animals.createPet(new NewPet().name("Willow").categoryId(Long.MAX_VALUE), null, null);
    Pet other = animals.createPet(new NewPet().name("Other").categoryId(3L), null, null);
    column("create", pet.getStatus() == PetStatus.AVAILABLE, "yes");
    List<Long> ids = List.of(pet.getId(), other.getId());
    List<Pet> listed =
        animals.listPets(null, null, null, ids, null, null, null, null, null, null);
    column("list", listed.size() == 2, "yes");
    column("int64", listed.get(0).getCategoryId() == Long.MAX_VALUE, "exact");
    column("upload", uploads(client, pet.getId()), "yes");
    try {
      animals.getPet(999_999L, null, null);
      column("error", false, "yes");
    } catch (ApiException refused) {
      Error error = Error.fromJson(refused.getResponseBody());
      column("error", error.getCode().getValue().equals("pet_not_found"), "yes");
    }
  }

  private static boolean uploads(ApiClient client, long petId) {
    try {
      File file = new File(System.getenv("PETSTORE_PHOTO"));
      return new PhotosApi(client).addPhoto(petId, file, null, null, null).getWidth() == 60;
    } catch (ApiException refused) {
      System.err.println(refused.getMessage());
      return false;
    }
  }

  private static void column(String name, boolean works, String cell) {
    System.out.println(name + ": " + (works ? cell : "no"));
  }
}

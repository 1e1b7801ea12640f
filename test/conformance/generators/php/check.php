<?php
// Uses what openapi-generator makes for PHP, on Debian's Guzzle. Prints what works, as columns of the guide.

require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $class) . '.php';
    if (is_file($file)) require $file;
});

use OpenAPI\Client\Api\AnimalsApi;
use OpenAPI\Client\Api\PhotosApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\NewPet;

$configuration = (new Configuration())
    ->setHost(getenv('PETSTORE_URL'))
    ->setAccessToken(getenv('PETSTORE_KEY'));
$http = new GuzzleHttp\Client();
$animals = new AnimalsApi($http, $configuration);
$photos = new PhotosApi($http, $configuration);

function column(string $name, bool $works, string $cell = 'yes'): void
{
    echo $name, ': ', $works ? $cell : 'no', "\n";
}

$pet = $animals->createPet(new NewPet(['name' => 'Willow', 'category_id' => PHP_INT_MAX]));
$other = $animals->createPet(new NewPet(['name' => 'Other', 'category_id' => 3]));
column('create', $pet->getStatus() === 'available');
$listed = $animals->listPets(id: [$pet->getId(), $other->getId()]);
column('list', count($listed) === 2);
column('int64', $listed[0]->getCategoryId() === PHP_INT_MAX, 'exact');
$photo = $photos->addPhoto($pet->getId(), new SplFileObject(getenv('PETSTORE_PHOTO')));
column('upload', $photo->getWidth() === 60);
try {
    $animals->getPet(999_999);
    column('error', false);
} catch (ApiException $error) {
    column('error', $error->getResponseObject()->getCode() === 'pet_not_found');
}
